package io.idempotency.codec;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/**
 * One text for all JSON texts that mean the same: members sorted by UTF-16 code units and strings escaped as in RFC
 * 8785, members that are null left out, numbers as exact decimals without trailing zeros.
 *
 * <p>Numbers depart from RFC 8785, which takes them for doubles: 9007199254740993 and 9007199254740992 would be equal.
 *
 * <p>It is written while JSON is read. Only where the members of an object come in another order, and the elements of a
 * set, they are sorted when the last of them is there.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8785">RFC 8785: JSON Canonicalization Scheme</a>
 */
final class CanonicalJson {

    /** Twice what a mapper writes by default. */
    private static final int MAX_NESTING_DEPTH = 1_000;

    /**
     * The only member of an object that stands for a set. It is in no canonical text, so it may be another in each JVM, and
     * no member that a client names can be taken for it.
     */
    static final String SET = "set " + UUID.randomUUID();

    /** What was written here is read back here, so no limit of a parser of foreign input applies. */
    private static final JsonFactory READER = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING_DEPTH)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private static final Comparator<Member> BY_NAME = Comparator.comparing(Member::name);

    private final JsonParser json;

    private final CanonicalText text;

    /** In which the next value is; {@code null} outside of all. */
    private @Nullable Container container;

    /** Of all objects that have not ended, those of the innermost one last. */
    private Member[] members = new Member[8];

    private int memberCount;

    private CanonicalJson(JsonParser json, CanonicalText text) {
        this.json = json;
        this.text = text;
    }

    /**
     * The canonical text.
     *
     * @throws tools.jackson.core.JacksonException if the text is not JSON, is nested too deeply, or has an object with
     *     two members of one name
     */
    static String of(String json) {
        CanonicalText text = new CanonicalText(new byte[json.length()]);
        write(json.toCharArray(), json.length(), text);
        return text.from(0);
    }

    /**
     * Writes the canonical text of JSON.
     *
     * @param json begins with it
     * @param length of the JSON
     * @throws tools.jackson.core.JacksonException as {@link #of} does
     */
    static void write(char[] json, int length, CanonicalText text) {
        try (JsonParser parser = READER.createParser(ObjectReadContext.empty(), json, 0, length)) {
            new CanonicalJson(parser, text).write();
        }
    }

    /** A loop, because a call for each level would end at a few hundred levels. */
    private void write() {
        JsonToken token = json.nextToken();
        if (token == null) {
            text.ascii("null");
            return;
        }
        do {
            switch (token) {
                case START_OBJECT -> begin('{', false);
                case START_ARRAY -> begin('[', container != null && container.isSet);
                case PROPERTY_NAME -> writeName();
                case END_OBJECT -> endObject();
                case END_ARRAY -> endArray();
                default -> writeScalar(token);
            }
            token = json.nextToken();
        } while (container != null);
        if (token != null) {
            throw new StreamReadException(json, "There is something behind the JSON");
        }
    }

    private void begin(char bracket, boolean ofSet) {
        text.ascii(bracket);
        container = new Container(container, text.length(), memberCount, ofSet ? new ArrayList<>() : null);
    }

    private void writeName() {
        Container object = Objects.requireNonNull(container);
        String name = json.currentName();
        if (object.isSet) {
            throw new StreamReadException(json, "Something was written beside the elements of a set");
        }
        if (object.name == null && name.equals(SET)) {
            object.isSet = true;
            text.cutTo(object.start - 1);
            return;
        }
        object.isUnsorted |= object.name != null && object.name.compareTo(name) >= 0;
        object.name = name;
        object.nameStart = text.length();
        text.string(json.getStringCharacters(), json.getStringOffset(), json.getStringLength());
        text.ascii(':');
    }

    private void writeScalar(JsonToken token) {
        switch (token) {
            case VALUE_STRING ->
                text.string(json.getStringCharacters(), json.getStringOffset(), json.getStringLength());
            case VALUE_NUMBER_INT ->
                text.integer(json.getStringCharacters(), json.getStringOffset(), json.getStringLength());
            case VALUE_NUMBER_FLOAT -> text.decimal(decimal());
            default -> text.ascii(token.asString());
        }
        ended(token == JsonToken.VALUE_NULL);
    }

    private BigDecimal decimal() {
        try {
            return json.getDecimalValue();
        } catch (NumberFormatException exponent) {
            throw new StreamReadException(json, "A number is out of range", exponent);
        }
    }

    private void endObject() {
        Container object = Objects.requireNonNull(container);
        if (!object.isSet) {
            if (object.isUnsorted) {
                sortMembers(object);
            }
            memberCount = object.firstMember;
            text.close(object.start, '}');
        }
        container = object.outer;
        ended(false);
    }

    private void endArray() {
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
        if (inside == null || inside.isSet) {
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
                throw new StreamReadException(json, "An object has two members of the name '" + members[i].name + "'");
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

        /** Stands for a set. */
        private boolean isSet;

        /** Of the last member; {@code null} if there is none. */
        private @Nullable String name;

        private int nameStart;

        private boolean isUnsorted;

        Container(@Nullable Container outer, int start, int firstMember, @Nullable List<String> elements) {
            this.outer = outer;
            this.start = start;
            this.firstMember = firstMember;
            this.elements = elements;
        }
    }
}
