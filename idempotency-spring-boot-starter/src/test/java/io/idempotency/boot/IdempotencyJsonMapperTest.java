package io.idempotency.boot;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.JsonFilter;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.EnumNamingStrategies;
import tools.jackson.databind.InjectableValues;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.DefaultAccessorNamingStrategy;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.SimpleBeanPropertyFilter;
import tools.jackson.databind.ser.std.SimpleFilterProvider;

import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.response.JacksonResponseCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class IdempotencyJsonMapperTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));

    enum Level {
        HIGH_RISK,
        LOW_RISK;

        @Override
        public String toString() {
            return "risk";
        }
    }

    static class Bean {

        private String shownName = "name";

        /** Unset, because a payload with a hidden member that is set is refused. */
        String hiddenField;

        public String getShownName() {
            return shownName;
        }

        public void setShownName(String shownName) {
            this.shownName = shownName;
        }

        public boolean isURLSafe() {
            return true;
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // Is only written.
    record Everything(
            String accountNumber,
            @Nullable String noValue,
            Optional<String> absent,
            List<String> emptyList,
            int zero,
            boolean isFalse,
            Level level,
            Map<Level, Integer> byLevel,
            Instant instant,
            ZonedDateTime zoned,
            LocalDate localDate,
            @JsonFormat(pattern = "dd MMM yyyy") LocalDate formatted,
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm") Date formattedDate,
            Date date,
            Duration duration,
            BigDecimal decimal,
            double number,
            byte[] bytes,
            char[] chars,
            Object anything,
            Bean bean) {}

    @SuppressWarnings("JavaUtilDate") // Users have some.
    private static Everything everything() {
        return new Everything(
                "4711",
                null,
                Optional.empty(),
                List.of(),
                0,
                false,
                Level.LOW_RISK,
                Map.of(Level.HIGH_RISK, 1),
                Instant.parse("2026-02-03T04:05:06.123456789Z"),
                ZonedDateTime.parse("2026-02-03T04:05:06+05:30[Asia/Kolkata]"),
                LocalDate.of(2026, 2, 3),
                LocalDate.of(2026, 2, 3),
                new Date(86_400_000),
                new Date(1_000),
                Duration.ofSeconds(90),
                new BigDecimal("1E+3"),
                1.0,
                new byte[] {1, -1},
                new char[] {'a', 'b'},
                Map.of("innerName", 1),
                new Bean());
    }

    private static String[] descriptionOf(JsonMapper mapper) {
        JacksonResponseCodec codec = new JacksonResponseCodec(mapper);
        Fingerprinter fingerprinter = new Fingerprinter(mapper);
        String json = codec.encode(everything(), Everything.class);
        return new String[] {
            json,
            codec.encode(codec.decode(json, Everything.class), Everything.class),
            fingerprinter.of(everything()).toString()
        };
    }

    private static String[] withoutSettings() {
        return descriptionOf(ours(JsonMapper.builder().findAndAddModules().build()));
    }

    private static JsonMapper ours(JsonMapper applications) {
        return IdempotencyJsonMapper.withoutSettings(applications);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "property-naming-strategy=SNAKE_CASE",
                "property-naming-strategy=tools.jackson.databind.PropertyNamingStrategies$KebabCaseStrategy",
                "default-property-inclusion=non_null",
                "default-property-inclusion=non_default",
                "default-property-inclusion=non_empty",
                "use-jackson2-defaults=true",
                "datatype.enum.write-enums-using-to-string=false",
                "datatype.enum.write-enums-using-index=true",
                "datatype.enum.write-enums-to-lowercase=true",
                "datatype.enum.write-enum-keys-using-index=true",
                "datatype.enum.read-unknown-enum-values-as-null=true",
                "datatype.datetime.write-dates-as-timestamps=true",
                "datatype.datetime.write-durations-as-timestamps=true",
                "datatype.datetime.write-dates-with-context-time-zone=true",
                "datatype.datetime.write-dates-with-zone-id=true",
                "datatype.datetime.one-based-months=false",
                "datatype.json-node.write-null-properties=false",
                "time-zone=Asia/Tokyo",
                "date-format=dd.MM.yyyy",
                "locale=ar-SA",
                "visibility.field=any",
                "visibility.getter=none",
                "constructor-detector=use-delegating",
                "default-leniency=false",
                "serialization.wrap-root-value=true",
                "serialization.write-single-elem-arrays-unwrapped=true",
                "serialization.write-char-arrays-as-json-arrays=true",
                "serialization.indent-output=true",
                "serialization.order-map-entries-by-keys=true",
                "serialization.fail-on-empty-beans=true",
                "deserialization.fail-on-unknown-properties=true",
                "deserialization.unwrap-root-value=true",
                "deserialization.use-big-decimal-for-floats=true",
                "deserialization.accept-empty-string-as-null-object=true",
                "deserialization.use-java-array-for-json-array=true",
                "mapper.sort-properties-alphabetically=false",
                "mapper.default-view-inclusion=false",
                "mapper.use-annotations=false",
                "mapper.propagate-transient-marker=true",
                "write.write-bigdecimal-as-plain=true",
                "json.write.write-numbers-as-strings=true",
                "json.write.escape-non-ascii=true",
                "json.write.quote-property-names=false",
                "factory.constraints.write.max-nesting-depth=1",
                "factory.constraints.read.max-string-length=10",
                "find-and-add-modules=false",
            })
    void noSettingChangesStoredJsonOrFingerprints(String setting) {
        application
                .withPropertyValues("spring.jackson." + setting)
                .run(context -> assertThat(descriptionOf(ours(context.getBean(JsonMapper.class))))
                        .isEqualTo(withoutSettings()));
    }

    static Stream<UnaryOperator<JsonMapper.Builder>> settings() {
        return Stream.of(
                mapper -> mapper.enumNamingStrategy(EnumNamingStrategies.LOWER_CAMEL_CASE),
                mapper -> mapper.accessorNaming(new DefaultAccessorNamingStrategy.Provider().withGetterPrefix("is")),
                mapper -> mapper.activateDefaultTyping(
                        BasicPolymorphicTypeValidator.builder()
                                .allowIfBaseType(Object.class)
                                .build(),
                        DefaultTyping.NON_FINAL),
                mapper -> mapper.withConfigOverride(
                        BigDecimal.class,
                        override -> override.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.STRING))),
                mapper -> mapper.withConfigOverride(
                        String.class,
                        override -> override.setInclude(JsonInclude.Value.construct(
                                JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))),
                mapper -> mapper.defaultFormat(JsonFormat.Value.forPattern("MM/yyyy")),
                mapper -> mapper.defaultBase64Variant(tools.jackson.core.Base64Variants.MODIFIED_FOR_URL),
                mapper -> mapper.defaultLocale(Locale.FRANCE));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void noSettingInCodeChangesStoredJsonOrFingerprints(UnaryOperator<JsonMapper.Builder> setting) {
        assertThat(descriptionOf(ours(setting.apply(JsonMapper.builder()).build())))
                .isEqualTo(withoutSettings());
    }

    @Test
    void theLocaleOfTheMachineDoesNotCount() {
        String[] here = withoutSettings();
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.JAPAN);
        try {
            assertThat(withoutSettings()).isEqualTo(here);
        } finally {
            Locale.setDefault(before);
        }
    }

    record Money(long cents) {}

    static class MoneyModule extends SimpleModule {

        MoneyModule() {
            addSerializer(Money.class, new ValueSerializer<Money>() {
                @Override
                public void serialize(Money money, JsonGenerator json, SerializationContext context) {
                    json.writeString(money.cents() + " cents");
                }
            });
        }
    }

    interface MoneyMixin {

        @JsonProperty("c")
        long cents();
    }

    static class Prefix {

        String text = "prefix ";
    }

    static class WithPrefix extends ValueSerializer<String> {

        private final Prefix prefix;

        WithPrefix(Prefix prefix) {
            this.prefix = prefix;
        }

        @Override
        public void serialize(String text, JsonGenerator json, SerializationContext context) {
            json.writeString(prefix.text + text);
        }
    }

    record Prefixed(@JsonSerialize(using = WithPrefix.class) String text) {}

    @Test
    void modulesOfTheApplicationAreTaken() {
        application
                .withBean(MoneyModule.class)
                .run(context -> assertThat(
                                ours(context.getBean(JsonMapper.class)).writeValueAsString(new Money(5)))
                        .isEqualTo("\"5 cents\""));
        application
                .withBean(JsonMapperBuilderCustomizer.class, () -> mapper -> mapper.addModule(new MoneyModule()))
                .run(context -> assertThat(
                                ours(context.getBean(JsonMapper.class)).writeValueAsString(new Money(5)))
                        .isEqualTo("\"5 cents\""));
    }

    @Test
    void mixinsOfTheApplicationAreTaken() {
        application
                .withBean(
                        JsonMapperBuilderCustomizer.class,
                        () -> mapper -> mapper.addMixIn(Money.class, MoneyMixin.class))
                .run(context -> assertThat(
                                ours(context.getBean(JsonMapper.class)).writeValueAsString(new Money(5)))
                        .isEqualTo("{\"c\":5}"));
    }

    @Test
    void serializersGetBeansOfTheApplication() {
        application.withBean(Prefix.class).run(context -> {
            JsonMapper applications = context.getBean(JsonMapper.class);
            assumeThat(applications.serializationConfig().getHandlerInstantiator())
                    .as("Spring Boot 4.0 gives its own mapper none")
                    .isNotNull();
            assertThat(ours(applications).writeValueAsString(new Prefixed("a"))).isEqualTo("{\"text\":\"prefix a\"}");
        });
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    interface Shape {}

    @JsonTypeName("circle")
    record Circle(int size) implements Shape {}

    @JsonFilter("public")
    record Filtered(String shown, String secret) {}

    record Injected(String name, @JacksonInject("origin") String origin) {}

    @Test
    void whatClassesNeedFromTheMapperIsTaken() {
        JsonMapper mapper = ours(JsonMapper.builder()
                .registerSubtypes(Circle.class)
                .filterProvider(new SimpleFilterProvider()
                        .addFilter("public", SimpleBeanPropertyFilter.serializeAllExcept("secret")))
                .injectableValues(new InjectableValues() {

                    @Override
                    public InjectableValues snapshot() {
                        return this;
                    }

                    @Override
                    public Object findInjectableValue(
                            DeserializationContext context,
                            Object id,
                            BeanProperty property,
                            Object owner,
                            @Nullable Boolean optional,
                            @Nullable Boolean useInput) {
                        return "here";
                    }
                })
                .build());

        assertThat(mapper.readValue("{\"@type\":\"circle\",\"size\":1}", Shape.class))
                .isEqualTo(new Circle(1));
        assertThat(mapper.writeValueAsString(new Filtered("a", "b"))).isEqualTo("{\"shown\":\"a\"}");
        assertThat(mapper.readValue("{\"name\":\"n\"}", Injected.class)).isEqualTo(new Injected("n", "here"));
    }

    @Test
    void theAnnotationIntrospectorOfTheApplicationIsTaken() {
        JsonMapper mapper = ours(JsonMapper.builder()
                .annotationIntrospector(new JacksonAnnotationIntrospector() {

                    private static final long serialVersionUID = 1L;

                    @Override
                    public boolean hasIgnoreMarker(MapperConfig<?> config, AnnotatedMember member) {
                        return member.getName().equals("origin");
                    }
                })
                .build());

        assertThat(mapper.writeValueAsString(new Injected("n", "here"))).isEqualTo("{\"name\":\"n\"}");
    }

    @Test
    void enumsAreNamesAndDatesIso8601() {
        assertThat(withoutSettings()[0])
                .contains("\"accountNumber\":\"4711\"", "\"noValue\":null", "\"emptyList\":[]", "\"zero\":0")
                .contains("\"level\":\"LOW_RISK\"", "\"byLevel\":{\"HIGH_RISK\":1}")
                .contains("\"instant\":\"2026-02-03T04:05:06.123456789Z\"", "\"duration\":\"PT1M30S\"")
                .contains("\"zoned\":\"2026-02-03T04:05:06+05:30[Asia/Kolkata]\"");
    }
}
