package io.idempotency.codec;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.exc.StreamWriteException;

/**
 * Writes one text for all JSON that means the same: members sorted by UTF-16 code units and strings escaped as in RFC
 * 8785, members that are null left out, numbers as exact decimals without trailing zeros.
 *
 * <p>Numbers depart from RFC 8785, which takes them for doubles: 9007199254740993 and 9007199254740992 would be equal.
 *
 * <p>It is told the values in the order of the JSON. Only where the members of an object come in another order, and the
 * elements of a set, they are sorted when the last of them is there.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8785">RFC 8785: JSON Canonicalization Scheme</a>
 */
final class CanonicalWriter {

    /**
     * The only member of an object that stands for a set. It is in no canonical text, so it may be another in each JVM, and
     * no member that a client names can be taken for it.
     */
    static final String SET = "set " + UUID.randomUUID();

    /** The same for a value whose type counts: what the name of the only member begins with, before that of the type. */
    static final String TYPE = "type " + UUID.randomUUID() + " ";

    private static final Comparator<Member> BY_NAME = Comparator.comparing(Member::name);

    private final CanonicalText text;

    /** In which the next value is; {@code null} outside of all. */
    private @Nullable Container container;

    /** Of all objects that have not ended, those of the innermost one last. */
    private Member[] members = new Member[8];

    private int memberCount;

    private boolean isComplete;

    CanonicalWriter(CanonicalText text) {
        this.text = text;
    }

    /** Whether there has been a value, whole. No other may follow it. */
    boolean isComplete() {
        return isComplete;
    }

    void beginObject() {
        begin('{', false);
    }

    void beginArray() {
        begin('[', container != null && container.isSet);
    }

    private void begin(char bracket, boolean ofSet) {
        text.ascii(bracket);
        container = new Container(container, text.length(), memberCount, ofSet ? new ArrayList<>() : null);
    }

    void name(String name) {
        Container object = Objects.requireNonNull(container);
        if (object.isMark) {
            throw new StreamWriteException(null, "Something was written beside what is marked");
        }
        if (object.name == null && (name.equals(SET) || name.startsWith(TYPE))) {
            object.isMark = true;
            object.isSet = name.equals(SET);
            object.awaitsValue = true;
            text.cutTo(object.start - 1);
            if (!object.isSet) {
                // No JSON has a text before a value.
                text.string(name.substring(TYPE.length()));
            }
            return;
        }
        object.isUnsorted |= object.name != null && object.name.compareTo(name) >= 0;
        object.awaitsValue = true;
        object.name = name;
        object.nameStart = text.length();
        text.string(name);
        text.ascii(':');
    }

    void string(String value) {
        text.string(value);
        ended(false);
    }

    /** @param digits as JSON has them */
    void integer(String digits) {
        text.integer(digits);
        ended(false);
    }

    void decimal(BigDecimal value) {
        text.decimal(value);
        ended(false);
    }

    /** @param literal {@code true} or {@code false} */
    void literal(String literal) {
        text.ascii(literal);
        ended(false);
    }

    /** A null. */
    void nothing() {
        text.ascii("null");
        ended(true);
    }

    void endObject() {
        Container object = Objects.requireNonNull(container);
        if (object.awaitsValue) {
            throw new StreamWriteException(null, "There is a name without a value at the end of an object");
        }
        if (!object.isMark) {
            if (object.isUnsorted) {
                sortMembers(object);
            }
            memberCount = object.firstMember;
            text.close(object.start, '}');
        }
        container = object.outer;
        ended(false);
    }

    void endArray() {
        Container array = Objects.requireNonNull(container);
        if (array.elements != null) {
            array.elements.sort(null);
            for (String element : array.elements) {
                text.utf8(element);
                text.ascii(',');
            }
        }
        text.close(array.start, ']');
        container = array.outer;
        ended(false);
    }

    /** A value has been written. Where it is a member that is null, only its name remains, which is taken. */
    private void ended(boolean isNull) {
        Container inside = container;
        if (inside == null) {
            isComplete = true;
            return;
        }
        inside.awaitsValue = false;
        if (inside.isMark) {
            return;
        }
        if (inside.elements != null) {
            inside.elements.add(text.from(inside.start));
            text.cutTo(inside.start);
            return;
        }
        if (inside.name != null && isNull) {
            text.cutTo(inside.nameStart);
        } else {
            text.ascii(',');
        }
        if (inside.name != null) {
            add(new Member(inside.name, inside.nameStart, text.length()));
        }
    }

    private void add(Member member) {
        if (memberCount == members.length) {
            members = Arrays.copyOf(members, 2 * memberCount);
        }
        members[memberCount++] = member;
    }

    /** Of two members with one name the first would be lost, and with it what tells two payloads apart. */
    private void sortMembers(Container object) {
        Arrays.sort(members, object.firstMember, memberCount, BY_NAME);
        for (int i = object.firstMember + 1; i < memberCount; i++) {
            if (members[i].name.equals(members[i - 1].name)) {
                throw new StreamWriteException(null, "An object has two members of the name '" + members[i].name + "'");
            }
        }
        int moved = text.putAside(object.start) - object.start;
        for (int i = object.firstMember; i < memberCount; i++) {
            Member member = members[i];
            text.takeBack(member.start + moved, member.end - member.start);
        }
    }

    /** A member and its place in the text, with the comma behind it. */
    private record Member(String name, int start, int end) {}

    /** An object or an array that has not ended. */
    private static final class Container {

        private final @Nullable Container outer;

        /** Of what is in it. */
        private final int start;

        private final int firstMember;

        /** {@code null} if they stay in their order. */
        private final @Nullable List<String> elements;

        /** Is none, and says something of the value in it. */
        private boolean isMark;

        /** Which is a set. */
        private boolean isSet;

        /** Of the last member; {@code null} if there is none. */
        private @Nullable String name;

        private int nameStart;

        /** There is a name, and not what it is of. */
        private boolean awaitsValue;

        private boolean isUnsorted;

        Container(@Nullable Container outer, int start, int firstMember, @Nullable List<String> elements) {
            this.outer = outer;
            this.start = start;
            this.firstMember = firstMember;
            this.elements = elements;
        }
    }
}
