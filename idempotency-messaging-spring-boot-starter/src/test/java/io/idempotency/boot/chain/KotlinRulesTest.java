package io.idempotency.boot.chain;

import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ByteArrayClassLoader;
import net.bytebuddy.dynamic.loading.InjectionClassLoader;
import net.bytebuddy.dynamic.scaffold.subclass.ConstructorStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

import io.idempotency.Idempotent;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.response.JacksonResponseCodec;

import static io.idempotency.boot.chain.MethodRules.assertRefused;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the compiler of Kotlin makes of a function is reported in words of Kotlin. Kotlin is not on the class path. */
class KotlinRulesTest {

    private final ByteArrayClassLoader loader =
            new ByteArrayClassLoader(KotlinRulesTest.class.getClassLoader(), false, Map.of());

    @Test
    void aSuspendFunctionIsRefusedAsSuch() {
        Class<?> continuation = load(new ByteBuddy().makeInterface().name("kotlin.coroutines.Continuation"));

        assertRefused(
                bean("pay", Object.class, String.class, continuation),
                "pay",
                "is a suspend function of Kotlin",
                "Remove suspend");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pay-gIAlu-s", "pay-IoAF18A", "pay-d1pmJ48$shop"})
    void aResultIsRefusedAsSuch(String mangled) {
        assertRefused(
                bean(mangled, Object.class, String.class),
                mangled,
                "returns java.lang.Object",
                "Declare the type of the response. Kotlin's Result cannot be stored");
    }

    @Test
    void noOtherObjectIsCalledAResult() {
        assertThatThrownBy(() -> new MethodRules().check(bean("pay", Object.class, String.class), "pay"))
                .hasMessageEndingWith("Declare the type of the response.");
    }

    @Test
    void aPropertyOfAValueClassIsRefusedAsSuch() {
        assertRefused(
                bean("#p0.value", "pay-EErQm6M", String.class, String.class),
                "pay-EErQm6M",
                "is '#p0.value', but java.lang.String has no 'value'",
                "or #p0 itself. A value class of Kotlin is its value here.");
    }

    @Test
    void aClassThatJacksonCannotMakeNeedsTheModuleForKotlin() {
        assertRefused(
                bean("pay", classInKotlin(), String.class),
                "pay",
                "returns shop.Receipt, for which Jackson has no way to make an object",
                "jackson-module-kotlin");
    }

    @Test
    void theModuleForKotlinIsNotAdvisedIfItIsPresent() throws ReflectiveOperationException {
        JacksonModule module = (JacksonModule)
                load(new ByteBuddy().subclass(SimpleModule.class).name("tools.jackson.module.kotlin.KotlinModule"))
                        .getConstructor()
                        .newInstance();
        ResponseCodec codec =
                new JacksonResponseCodec(JsonMapper.builder().addModule(module).build());

        assertThatThrownBy(() -> new MethodRules(codec).check(bean("pay", classInKotlin(), String.class), "pay"))
                .hasMessageContaining("Make it a record")
                .hasMessageNotContaining("jackson-module-kotlin");
    }

    private Class<?> classInKotlin() {
        Class<?> metadata = load(new ByteBuddy()
                .makeAnnotation()
                .name("kotlin.Metadata")
                .annotateType(AnnotationDescription.Builder.ofType(Retention.class)
                        .define("value", RetentionPolicy.RUNTIME)
                        .build()));
        return load(new ByteBuddy()
                .subclass(Receipt.class, ConstructorStrategy.Default.IMITATE_SUPER_CLASS)
                .name("shop.Receipt")
                .annotateType(AnnotationDescription.Builder.ofType(metadata.asSubclass(Annotation.class))
                        .build()));
    }

    public static class Receipt {

        public final int value;

        protected Receipt(int value, Object unrelated) {
            this.value = value;
        }
    }

    private Class<?> bean(String method, Type returned, Type... parameters) {
        return bean("#p0", method, returned, parameters);
    }

    private Class<?> bean(String key, String method, Type returned, Type... parameters) {
        return load(new ByteBuddy()
                .makeInterface()
                .name("shop.Payments")
                .defineMethod(method, returned, Visibility.PUBLIC)
                .withParameters(List.of(parameters))
                .withoutCode()
                .annotateMethod(AnnotationDescription.Builder.ofType(Idempotent.class)
                        .define("scope", "s")
                        .define("key", key)
                        .build()));
    }

    private Class<?> load(DynamicType.Builder<?> type) {
        return type.make().load(loader, InjectionClassLoader.Strategy.INSTANCE).getLoaded();
    }
}
