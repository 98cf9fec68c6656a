package io.idempotency.internal.operation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

import io.idempotency.InvalidIdempotentMethodException;

/** The rule that no member of the payload is an upload. */
final class UploadInPayloadRule implements OperationRule {

    /** An upload has no JSON, so that a member of these types would fail each call. */
    private static final NamedTypes UPLOADS = new NamedTypes(
            "java.io.InputStream",
            "java.io.Reader",
            "jakarta.servlet.http.Part",
            "org.springframework.core.io.InputStreamSource");

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        if (!(operation instanceof CallOperation call)) {
            return;
        }
        ArgumentExpression fingerprint = call.fingerprintExpression();
        Stream<Type> payload = fingerprint == null
                ? Arrays.stream(operation.method().getGenericParameterTypes())
                : Stream.of(fingerprint.declaredType());
        payload.forEach(type -> requireNoUpload(operation, ResolvableType.forType(type)));
    }

    private static void requireNoUpload(IdempotentOperation operation, ResolvableType payload) {
        String upload = findUpload(payload, new HashSet<>());
        if (upload != null) {
            throw new InvalidIdempotentMethodException(
                    "The payload of the idempotent method " + operation.describe() + " has the member " + upload
                            + ", which is not data and cannot tell one payload from another.",
                    "Name what makes the payload with fingerprint = \"...\", for example fingerprint ="
                            + " \"{#form.orderId, #form.hashOfFile}\".");
        }
    }

    /** Leaves out members and classes with annotations of Jackson, which may ignore or convert them. */
    private static @Nullable String findUpload(ResolvableType type, Set<Class<?>> seen) {
        if (type.isArray()) {
            return findUpload(type.getComponentType(), seen);
        }
        Class<?> raw = type.resolve();
        if (raw == null || type.getType() instanceof TypeVariable<?>) {
            return null;
        }
        Stream<String> ofArguments = Arrays.stream(type.getGenerics()).map(argument -> findUpload(argument, seen));
        Stream<String> ofMembers = raw.getName().startsWith("java") || !seen.add(raw) || hasOwnJson(raw)
                ? Stream.empty()
                : fieldsOf(raw).map(field -> {
                    ResolvableType member = ResolvableType.forField(field, type);
                    return UPLOADS.areIn(member)
                            ? field.getDeclaringClass().getName() + "." + field.getName()
                            : findUpload(member, seen);
                });
        return Stream.concat(ofArguments, ofMembers)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** An annotation of Jackson may leave members out, or say what is written instead of them. */
    private static boolean hasOwnJson(Class<?> type) {
        return isOfJackson(type)
                || Arrays.stream(type.getMethods()).anyMatch(method -> method.isAnnotationPresent(JsonValue.class));
    }

    private static boolean isOfJackson(AnnotatedElement element) {
        return Arrays.stream(element.getAnnotations())
                .anyMatch(annotation -> annotation.annotationType().getName().contains("jackson"));
    }

    private static Stream<Field> fieldsOf(Class<?> type) {
        return Stream.<Class<?>>iterate(type, each -> each != null && each != Object.class, Class::getSuperclass)
                .flatMap(each -> Arrays.stream(each.getDeclaredFields()))
                .filter(field ->
                        (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0 && !isOfJackson(field));
    }
}
