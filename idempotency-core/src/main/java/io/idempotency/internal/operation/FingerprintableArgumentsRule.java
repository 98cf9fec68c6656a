package io.idempotency.internal.operation;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule that all arguments are data if there is no fingerprint expression, because they are the payload then, and that an
 * expression compares more than the key.
 */
final class FingerprintableArgumentsRule implements OperationRule {

    private static final NamedTypes NOT_DATA = new NamedTypes(
            "java.io.Closeable",
            "java.lang.Runnable",
            "java.util.concurrent.Callable",
            "java.util.concurrent.Future",
            "java.util.Iterator",
            "java.util.stream.BaseStream",
            "java.security.Principal",
            "jakarta.servlet.ServletRequest",
            "jakarta.servlet.ServletResponse",
            "jakarta.servlet.http.HttpSession",
            "jakarta.servlet.http.Part",
            "org.springframework.core.io.InputStreamSource",
            "org.springframework.http.HttpMessage",
            "org.springframework.http.HttpEntity",
            "org.springframework.http.HttpHeaders",
            "org.springframework.messaging.Message",
            "org.springframework.security.core.AuthenticatedPrincipal",
            "org.springframework.security.core.Authentication",
            "org.springframework.security.core.userdetails.UserDetails",
            "org.springframework.security.oauth2.core.OAuth2Token",
            "org.springframework.ui.Model",
            "org.springframework.validation.Errors",
            "org.springframework.web.context.request.WebRequest",
            "org.springframework.web.util.UriBuilder");

    /** What is uploaded has no JSON, so that a member of these types would fail each call. */
    private static final NamedTypes UPLOADS = new NamedTypes(
            "java.io.InputStream",
            "java.io.Reader",
            "jakarta.servlet.http.Part",
            "org.springframework.core.io.InputStreamSource");

    private static final String FUNCTIONS = "java.util.function";

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        if (!(operation instanceof CallOperation call)) {
            return;
        }
        ArgumentExpression fingerprint = call.fingerprintExpression();
        if (fingerprint != null) {
            requireMoreThanKey(call, fingerprint);
            requireNoUpload(operation, ResolvableType.forType(fingerprint.declaredType()));
            return;
        }
        for (Parameter parameter : operation.method().getParameters()) {
            if (!isData(parameter)) {
                throw new InvalidIdempotentMethodException(
                        "The idempotent method " + operation.describe() + " has a parameter of type "
                                + parameter.getParameterizedType().getTypeName()
                                + ", which is not data and cannot tell one payload from another.",
                        "Name what makes the payload with fingerprint = \"...\", for example fingerprint ="
                                + " \"#command\" or fingerprint = \"{#accountId, #amount}\".");
            }
            requireNoUpload(operation, ResolvableType.forType(parameter.getParameterizedType()));
        }
    }

    /** Refuses an expression of the key alone, with which the second item of a loop would be lost. */
    private static void requireMoreThanKey(CallOperation call, ArgumentExpression fingerprint) {
        Set<String> compared = fingerprint.analysis().paths();
        if (compared.isEmpty() || !call.keyExpression().analysis().paths().containsAll(compared)) {
            return;
        }
        Parameter[] parameters = call.method().getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (isData(parameters[i]) && !compared.contains(ExpressionAnalysis.pathOf(i))) {
                throw new InvalidIdempotentMethodException(
                        "The " + fingerprint + " compares nothing but the key, although "
                                + parameters[i].getParameterizedType().getTypeName() + " " + parameters[i].getName()
                                + " is data: calls with one key and other data, as in a loop, would get the first response.",
                        "Remove fingerprint, or name what makes the payload, too. If nothing is to be compared, say so with"
                                + " fingerprint = \"''\".");
            }
        }
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

    /** Leaves out members with annotations of Jackson, which may ignore or convert them. */
    private static @Nullable String findUpload(ResolvableType type, Set<Class<?>> seen) {
        if (type.isArray()) {
            return findUpload(type.getComponentType(), seen);
        }
        Class<?> raw = type.resolve();
        if (raw == null || type.getType() instanceof TypeVariable<?>) {
            return null;
        }
        Stream<String> ofArguments = Arrays.stream(type.getGenerics()).map(argument -> findUpload(argument, seen));
        Stream<String> ofMembers = raw.getName().startsWith("java") || !seen.add(raw)
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

    private static Stream<Field> fieldsOf(Class<?> type) {
        return Stream.<Class<?>>iterate(type, each -> each != null && each != Object.class, Class::getSuperclass)
                .flatMap(each -> Arrays.stream(each.getDeclaredFields()))
                .filter(field -> (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0
                        && Arrays.stream(field.getAnnotations())
                                .noneMatch(annotation ->
                                        annotation.annotationType().getName().contains("jackson")));
    }

    private static boolean isData(Parameter parameter) {
        return !FUNCTIONS.equals(parameter.getType().getPackageName())
                && !NOT_DATA.include(parameter.getType())
                && !NOT_DATA.areIn(ResolvableType.forType(parameter.getParameterizedType()));
    }
}
