package io.idempotency.internal.operation;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.CharBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.ExpressionFailedException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.internal.fingerprint.Fingerprinter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** From the arguments of a call to its key. */
class KeyExpressionTest {

    private final Service service = new Service();

    static List<Arguments> values() {
        UUID uuid = UUID.fromString("8c1ad0f4-7f53-4d4a-9f0b-0c6f6c1f1a55");
        return List.of(
                arguments("order-42", "order-42"),
                arguments(" as it is ", " as it is "),
                arguments(CharBuffer.wrap("characters"), "characters"),
                arguments(new IdempotencyKey("checked"), "checked"),
                arguments(uuid, "8c1ad0f4-7f53-4d4a-9f0b-0c6f6c1f1a55"),
                arguments((byte) 1, "1"),
                arguments((short) 2, "2"),
                arguments(3, "3"),
                arguments(Long.MIN_VALUE, "-9223372036854775808"),
                arguments(BigInteger.TWO.pow(70), "1180591620717411303424"),
                arguments('x', "x"),
                arguments(Period.DAILY, "DAILY"),
                arguments(Period.WEEKLY, "WEEKLY"));
    }

    @ParameterizedTest
    @MethodSource("values")
    void aValueWithStableTextIsAKey(Object value, String key) {
        assertThat(keyOf("byValue", value)).isEqualTo(new IdempotencyKey(key));
    }

    static List<Object> valuesThatAreNone() {
        return List.of(
                new Command(UUID.randomUUID(), "a"),
                new Object(),
                List.of("a"),
                Map.of("a", "b"),
                new BigDecimal("1.0"),
                1.5,
                true,
                Instant.EPOCH,
                new byte[] {1},
                new char[] {'a'});
    }

    @ParameterizedTest
    @MethodSource("valuesThatAreNone")
    void aValueWhoseTextMayVaryIsRefused(Object value) {
        assertThatThrownBy(() -> keyOf("byValue", value))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContainingAll("#value", "by-value", value.getClass().getName());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "a\u200bb", "a\u0000"})
    void aTextThatIsNoKeyIsRefused(String value) {
        assertThatThrownBy(() -> keyOf("byValue", value)).isInstanceOf(InvalidIdempotencyKeyException.class);
    }

    @Test
    void nullIsAMissingKey() {
        assertThatThrownBy(() -> keyOf("byValue", (Object) null))
                .isInstanceOf(MissingIdempotencyKeyException.class)
                .hasMessageContainingAll("#value", "by-value");
    }

    static List<Arguments> nullsOnTheWay() {
        return List.of(
                arguments("byProperty", null),
                arguments("byProperty", new Command(null, "a")),
                arguments("byNestedProperty", new Command(null, "a")),
                arguments("byMethodCall", new Command(null, "a")),
                arguments("bySafeNavigation", null),
                arguments("byIndex", null));
    }

    @ParameterizedTest
    @MethodSource("nullsOnTheWay")
    void nullOnTheWayIsAMissingKey(String method, Object argument) {
        assertThatThrownBy(() -> keyOf(method, argument)).isInstanceOf(MissingIdempotencyKeyException.class);
    }

    /** The text of null, or of what holds it, would be the key of all calls without the part. */
    static List<Arguments> missingParts() {
        Command withoutId = new Command(null, "a");
        return List.of(
                arguments("ofConcatenation", withoutId, "#command?.id is null"),
                arguments("ofConcatenation", null, "#command?.id is null"),
                arguments("ofConcatenationTwice", withoutId, "#command.id is null"),
                arguments("ofConcatenationWithin", withoutId, "#command.id is null"),
                arguments("ofNumbers", new Counted(null), "#command.count is null"),
                arguments("ofFormat", withoutId, "argument 2 of format() is null"),
                arguments("ofValueOf", withoutId, "argument 1 of valueOf() is null"),
                arguments("ofJoin", withoutId, "argument 2 of join() has a null"),
                arguments("ofJoinedProjection", List.of(withoutId), "argument 2 of join() has a null"),
                arguments("ofList", withoutId, "the list of which it takes toString() has a null"),
                arguments("ofOwnMethod", withoutId, "argument 1 of text() is null"),
                arguments("ofConstructor", withoutId, "argument 1 of StringBuilder() is null"),
                arguments("ofPrimitive", new Counted(null), "argument 1 of toString() is null"),
                arguments("ofChoice", withoutId, "#command.id is null"));
    }

    @ParameterizedTest
    @MethodSource("missingParts")
    void aKeyWithAMissingPartIsMissing(String method, Object argument, String part) {
        assertThatThrownBy(() -> key(new Composed(), method, argument))
                .isInstanceOf(MissingIdempotencyKeyException.class)
                .hasMessageContainingAll("gives no key, because " + part, "(#id ?: 'none')");
    }

    static List<Arguments> completeParts() {
        UUID id = new UUID(0, 1);
        Command complete = new Command(id, "a");
        Command withoutId = new Command(null, "a");
        return List.of(
                arguments("ofConcatenation", complete, "order-" + id),
                arguments("ofConcatenationTwice", complete, "a/" + id + "/a"),
                arguments("ofConcatenationWithin", complete, ("order-" + id).toUpperCase(Locale.ROOT)),
                arguments("ofNumbers", new Counted(2L), "order-5"),
                arguments("ofFormat", complete, "order-" + id),
                arguments("ofValueOf", complete, id.toString()),
                arguments("ofJoin", complete, "a-" + id),
                arguments("ofJoinedProjection", List.of(complete, complete), id + "-" + id),
                arguments("ofList", complete, "[a, " + id + "]"),
                arguments("ofOwnMethod", complete, id.toString()),
                arguments("ofPrimitive", new Counted(2L), "2"),
                arguments("ofDefault", withoutId, "order-none"),
                arguments("ofDefault", complete, "order-" + id),
                arguments("ofChoiceWithDefault", withoutId, "none"),
                arguments("ofChoiceWithDefault", complete, "order-" + id),
                arguments("ofTruth", "x", "x-true"),
                arguments("ofOptionalOrNull", Optional.of("x"), "x"),
                arguments("ofOwnMethodWithNull", "x", "x-null"),
                arguments("ofKey", new IdempotencyKey("x"), "order-x"),
                arguments("ofMapByName", Map.of("order", "x"), "x"),
                arguments("ofSafeCallWithDefault", null, "none"),
                arguments("ofConditionThatEndsEarly", withoutId, "false"));
    }

    @ParameterizedTest
    @MethodSource("completeParts")
    void aKeyWithAllOfItsPartsIsTheirText(String method, Object argument, String key) {
        assertThat(key(new Composed(), method, argument)).isEqualTo(key);
    }

    @ParameterizedTest
    @MethodSource("valuesThatAreNone")
    void aPartWhoseTextMayVaryIsRefused(Object value) {
        if (!(value instanceof Boolean)) {
            assertThatThrownBy(() -> key(new Composed(), "ofValue", value))
                    .isInstanceOf(InvalidIdempotencyKeyException.class)
                    .hasMessageContainingAll(
                            "'order-' + #value", "of-value", value.getClass().getName());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ofText", "ofTextOfValue", "ofTextInFormat", "ofTextAppended"})
    void theTextOfAnObjectThatHasNoneIsRefused(String method) {
        for (Object value : List.of(new Object(), new int[] {1})) {
            assertThatThrownBy(() -> key(new Composed(), method, value))
                    .isInstanceOf(InvalidIdempotencyKeyException.class)
                    .hasMessageContaining(value.getClass().getName() + " has no toString() of its own");
        }
        assertThat(key(new Composed(), method, 1.5)).endsWith("1.5");
    }

    @Test
    void theIdOfAResultWithAMissingPartIsNone() {
        ResultReference reference =
                AnnotatedMethods.operation(NamedResult.class, "composed").resultReference();

        assertThat(reference.id(new NamedResult(), new Object[] {"argument"}, new Command(null, "a")))
                .isNull();
        assertThat(reference.id(new NamedResult(), new Object[] {"argument"}, new Command(new UUID(0, 1), "a")))
                .isEqualTo("payment-00000000-0000-0000-0000-000000000001");
    }

    @Test
    void argumentsAreNamedByNameOrPosition() {
        assertThat(keyOf("byPosition", "first", "second").value()).isEqualTo("second-first");
        assertThat(keyOf("byProperty", new Command(new UUID(0, 1), "a")).value())
                .isEqualTo("00000000-0000-0000-0000-000000000001");
        assertThat(keyOf("byIndex", List.of("zero", "one")).value()).isEqualTo("one");
        assertThat(keyOf("byTarget", "x").value()).isEqualTo("service-x");
    }

    @Test
    void aNameThatSpelUsesItselfIsNoArgument() {
        assertThatThrownBy(() -> keyOf("byRoot", "an argument"))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContaining(Service.class.getName());
        assertThatThrownBy(() -> keyOf("byThis", "an argument"))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContaining(Service.class.getName());
    }

    @Test
    void thePositionOfALaterArgumentBeatsTheNameOfAnEarlierOne() {
        assertThat(keyOf("byAmbiguousName", "named p1", "at position 1").value())
                .isEqualTo("at position 1");
        assertThat(keyOf("byAmbiguousNameInText", "named p1", "at position 1").value())
                .isEqualTo("<at position 1>");
    }

    @Test
    void anExpressionThatFailsIsReportedWithItsCause() {
        assertThatThrownBy(() -> keyOf("byIndex", List.of("only")))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasMessageContainingAll("#list[1]", "by-index", "failed")
                .hasCauseInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> keyOf("byFailingMethod", "value"))
                .isInstanceOf(InvalidIdempotencyKeyException.class)
                .hasRootCauseMessage("no key of this");
    }

    @Test
    void anExpressionThatFitsNoArgumentIsTheFaultOfItsDeveloper() {
        assertThatThrownBy(() -> keyOf("byProperty", "has no property id"))
                .isInstanceOf(ExpressionFailedException.class)
                .hasMessageStartingWith("The key '#command.id' of @Idempotent on ")
                .hasMessageContainingAll("byProperty", "failed at position 9", "'id' cannot be found");
        assertThatThrownBy(() -> AnnotatedMethods.operation(Service.class, "byMissingMember")
                        .fingerprint(service, new Object[] {"has no total"}, new Fingerprinter(new JsonMapper())))
                .isInstanceOf(ExpressionFailedException.class)
                .hasMessageStartingWith("The fingerprint '#order.total' of @Idempotent on ")
                .hasMessageContaining("failed at position 7");
    }

    @Test
    void aMalformedKeyIsReportedWithItsScope() {
        assertThatThrownBy(() -> keyOf("byValue", " ")).hasMessage("The key of scope 'by-value' is blank");
        assertThatThrownBy(() -> keyOf("byValue", "x".repeat(256)))
                .hasMessage("The key of scope 'by-value' has 256 characters, more than 255");
    }

    @Test
    void aPayloadWithoutAFingerprintIsReportedWithScopeAndMethod() {
        Fingerprinter fingerprinter = new Fingerprinter(new JsonMapper());
        assertThatThrownBy(() -> AnnotatedMethods.operation(Service.class, "byValue")
                        .fingerprint(service, new Object[] {new Object()}, fingerprinter))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContainingAll("The arguments of ", "byValue", "in scope 'by-value': ");
        assertThatThrownBy(() -> AnnotatedMethods.operation(Service.class, "byMember")
                        .fingerprint(service, new Object[] {List.of(new Object())}, fingerprinter))
                .isInstanceOf(PayloadNotFingerprintableException.class)
                .hasMessageContainingAll("fingerprint '#order[0]'", "byMember", "in scope 'by-member': ");
    }

    @Test
    void anExpressionThatNamesNoArgumentIsRefusedAtStartUp() {
        assertThatThrownBy(() -> AnnotatedMethods.operation(Misnamed.class, "run"))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll("there is no #orderId", "Misnamed");
        assertThatThrownBy(() -> AnnotatedMethods.operation(Unparsable.class, "run"))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll("not valid SpEL", "#id +");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ofText", "ofUuid", "ofNumber", "ofEnum", "safely"})
    void aPropertyThatAFinalClassDoesNotHaveIsRefusedAtStartUp(String method) {
        assertThatThrownBy(() -> AnnotatedMethods.operation(WithoutProperty.class, method))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContaining(" has no 'valu'. Use a property that it has, or #id itself.");
    }

    @Test
    void whatSpelMayReadIsNotRefusedAtStartUp() {
        List.of(Service.class, WithProperty.class)
                .forEach(type -> List.of(type.getDeclaredMethods())
                        .forEach(method -> AnnotatedMethods.operation(type, method.getName())));
        WithProperty target = new WithProperty();
        assertThat(key(target, "ofText", "ab")).isEqualTo("97");
        assertThat(key(target, "ofUuid", new UUID(7, 0))).isEqualTo("7");
        assertThat(key(target, "ofNumber", 7L)).isEqualTo("7");
        assertThat(key(target, "ofArray", (Object) new int[3])).isEqualTo("3");
        assertThat(key(target, "ofClass", Integer.class)).isEqualTo("2147483647");
        assertThat(key(target, "ofOptional", Optional.of(new Command(null, "a"))))
                .isEqualTo("a");
        assertThat(key(target, "ofField", new Fields())).isEqualTo("field");
        assertThat(key(target, "ofAccessor", new Fields())).isEqualTo("accessor");
    }

    @Test
    void theResultIsNoArgument() {
        assertThat(AnnotatedMethods.operation(NamedResult.class, "run")
                        .resultReference()
                        .id(new NamedResult(), new Object[] {"argument"}, new Command(null, "a")))
                .isEqualTo("a");
    }

    private static String key(Object target, String method, Object argument) {
        return AnnotatedMethods.operation(target.getClass(), method)
                .key(target, new Object[] {argument})
                .value();
    }

    private IdempotencyKey keyOf(String method, Object... arguments) {
        return AnnotatedMethods.operation(Service.class, method).key(service, arguments);
    }

    record Command(UUID id, String name) {}

    record Counted(Long count) {}

    enum Period {
        DAILY,
        WEEKLY {
            @Override
            public String toString() {
                return "every week";
            }
        }
    }

    @SuppressWarnings("unused")
    static class Service {

        public final String name = "service";

        @Idempotent(scope = "by-value", key = "#value")
        public void byValue(Object value) {}

        @Idempotent(scope = "by-failing-method", key = "fail()")
        public void byFailingMethod(Object value) {}

        public String fail() {
            throw new IllegalStateException("no key of this");
        }

        @Idempotent(scope = "by-missing-member", key = "'a'", fingerprint = "#order.total")
        public void byMissingMember(Object order) {}

        @Idempotent(scope = "by-member", key = "'a'", fingerprint = "#order[0]")
        public void byMember(List<Object> order) {}

        @Idempotent(scope = "by-property", key = "#command.id")
        public void byProperty(Object command) {}

        @Idempotent(scope = "by-nested-property", key = "#command.id.mostSignificantBits")
        public void byNestedProperty(Command command) {}

        @Idempotent(scope = "by-method-call", key = "#command.id().toString()")
        public void byMethodCall(Command command) {}

        @Idempotent(scope = "by-safe-navigation", key = "#command?.id")
        public void bySafeNavigation(Command command) {}

        @Idempotent(scope = "by-index", key = "#list[1]")
        public void byIndex(List<String> list) {}

        @Idempotent(scope = "by-position", key = "#p1 + '-' + #a0")
        public void byPosition(String one, String two) {}

        @Idempotent(scope = "by-root", key = "#root")
        public void byRoot(String root) {}

        @Idempotent(scope = "by-this", key = "#this")
        public void byThis(String value) {}

        @Idempotent(scope = "by-ambiguous-name", key = "#p1")
        public void byAmbiguousName(String p1, String other) {}

        @Idempotent(scope = "by-ambiguous-name-in-text", key = "'<' + #p1 + '>'")
        public void byAmbiguousNameInText(String p1, String other) {}

        @Idempotent(scope = "by-target", key = "#root.name + '-' + #value")
        public void byTarget(String value) {}
    }

    @SuppressWarnings("unused")
    static class Composed {

        @Idempotent(scope = "of-concatenation", key = "'order-' + #command?.id")
        public void ofConcatenation(Command command) {}

        @Idempotent(scope = "of-concatenation-twice", key = "#command.name + '/' + #command.id + '/' + #command.name")
        public void ofConcatenationTwice(Command command) {}

        @Idempotent(scope = "of-concatenation-within", key = "('order-' + #command.id).toUpperCase()")
        public void ofConcatenationWithin(Command command) {}

        @Idempotent(scope = "of-numbers", key = "'order-' + (#command.count + 3)")
        public void ofNumbers(Counted command) {}

        @Idempotent(scope = "of-format", key = "T(String).format('order-%s', #command.id)")
        public void ofFormat(Command command) {}

        @Idempotent(scope = "of-value-of", key = "T(String).valueOf(#command.id)")
        public void ofValueOf(Command command) {}

        @Idempotent(scope = "of-join", key = "T(String).join('-', {#command.name, #command.id?.toString()})")
        public void ofJoin(Command command) {}

        @Idempotent(scope = "of-joined-projection", key = "T(String).join('-', #commands.![id?.toString()])")
        public void ofJoinedProjection(List<Command> commands) {}

        @Idempotent(scope = "of-list", key = "{#command.name, #command.id}.toString()")
        public void ofList(Command command) {}

        @Idempotent(scope = "of-own-method", key = "text(#command.id)")
        public void ofOwnMethod(Command command) {}

        public String text(UUID id) {
            return String.valueOf(id);
        }

        @Idempotent(scope = "of-constructor", key = "new StringBuilder(#command.id)")
        public void ofConstructor(Command command) {}

        @Idempotent(scope = "of-primitive", key = "T(Long).toString(#command.count)")
        public void ofPrimitive(Counted command) {}

        @Idempotent(scope = "of-choice", key = "#command.name == 'b' ? 'b' : 'order-' + #command.id")
        public void ofChoice(Command command) {}

        @Idempotent(scope = "of-default", key = "'order-' + (#command.id ?: 'none')")
        public void ofDefault(Command command) {}

        @Idempotent(scope = "of-choice-with-default", key = "#command.id == null ? 'none' : 'order-' + #command.id")
        public void ofChoiceWithDefault(Command command) {}

        @Idempotent(scope = "of-text", key = "#value.toString()")
        public void ofText(Object value) {}

        @Idempotent(scope = "of-text-of-value", key = "T(String).valueOf(#value)")
        public void ofTextOfValue(Object value) {}

        @Idempotent(scope = "of-text-in-format", key = "T(String).format('order-%s', #value)")
        public void ofTextInFormat(Object value) {}

        @Idempotent(scope = "of-text-appended", key = "'order-' + T(java.util.Objects).toString(#value)")
        public void ofTextAppended(Object value) {}

        @Idempotent(scope = "of-truth", key = "#value + '-' + true")
        public void ofTruth(String value) {}

        @Idempotent(scope = "of-optional-or-null", key = "#value.orElse(null)")
        public void ofOptionalOrNull(Optional<String> value) {}

        @Idempotent(scope = "of-own-method-with-null", key = "join(#value, null)")
        public void ofOwnMethodWithNull(String value) {}

        public String join(String first, String second) {
            return first + "-" + second;
        }

        @Idempotent(scope = "of-key", key = "'order-' + #value")
        public void ofKey(IdempotencyKey value) {}

        @Idempotent(scope = "of-map-by-name", key = "#value[order]")
        public void ofMapByName(Map<String, String> value) {}

        @Idempotent(scope = "of-safe-call-with-default", key = "#value?.concat('a' + #value) ?: 'none'")
        public void ofSafeCallWithDefault(String value) {}

        @Idempotent(
                scope = "of-condition",
                key = "T(String).valueOf(#command.id != null and ('a' + #command.id).length() > 3)")
        public void ofConditionThatEndsEarly(Command command) {}

        @Idempotent(scope = "of-value", key = "'order-' + #value")
        public void ofValue(Object value) {}
    }

    static class Misnamed {

        @Idempotent(scope = "misnamed", key = "#orderId")
        public void run(String id) {}
    }

    static class Unparsable {

        @Idempotent(scope = "unparsable", key = "#id +")
        public void run(String id) {}
    }

    @SuppressWarnings("unused")
    static class WithoutProperty {

        @Idempotent(scope = "of-text", key = "#id.valu")
        public void ofText(String id) {}

        @Idempotent(scope = "of-uuid", key = "'order ' + #id.valu")
        public void ofUuid(UUID id) {}

        @Idempotent(scope = "of-number", key = "#id.valu")
        public void ofNumber(long id) {}

        @Idempotent(scope = "of-enum", key = "#p0", fingerprint = "{#id.valu}")
        public void ofEnum(Thread.State id) {}

        @Idempotent(scope = "safely", key = "#id?.valu")
        public void safely(String id) {}
    }

    @SuppressWarnings("unused")
    static class WithProperty {

        @Idempotent(scope = "of-text", key = "#value.bytes[0]")
        public void ofText(String value) {}

        @Idempotent(scope = "of-uuid", key = "#value.mostSignificantBits")
        public void ofUuid(UUID value) {}

        @Idempotent(scope = "of-number", key = "#value.intValue")
        public void ofNumber(long value) {}

        @Idempotent(scope = "of-array", key = "#value.length")
        public void ofArray(int[] value) {}

        @Idempotent(scope = "of-class", key = "#value.MAX_VALUE")
        public void ofClass(Class<?> value) {}

        @Idempotent(scope = "of-optional", key = "#value?.name")
        public void ofOptional(Optional<Command> value) {}

        @Idempotent(scope = "of-field", key = "#value.field")
        public void ofField(Fields value) {}

        @Idempotent(scope = "of-accessor", key = "#value.accessor")
        public void ofAccessor(Fields value) {}
    }

    static final class Fields {

        public final String field = "field";

        public String accessor() {
            return "accessor";
        }
    }

    static class NamedResult {

        @Idempotent(scope = "named-result", key = "'a'", resultType = "command", resultId = "#result.name")
        public Command run(String result) {
            return new Command(null, result);
        }

        @Idempotent(scope = "composed-result", key = "#name", resultId = "'payment-' + #result.id")
        public Command composed(String name) {
            return new Command(null, name);
        }
    }
}
