package io.idempotency.internal.operation;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedMethod;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule that all arguments are data of the intent if there is no fingerprint expression, because they are the payload then.
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
            "jakarta.servlet.http.PushBuilder",
            "java.time.Clock",
            "org.springframework.core.io.InputStreamSource",
            "org.springframework.http.HttpMessage",
            "org.springframework.http.HttpEntity",
            "org.springframework.http.HttpHeaders",
            "org.springframework.messaging.Message",
            "org.springframework.messaging.MessageHeaders",
            "org.springframework.security.core.AuthenticatedPrincipal",
            "org.springframework.security.core.Authentication",
            "org.springframework.security.core.context.SecurityContext",
            "org.springframework.security.core.userdetails.UserDetails",
            "org.springframework.security.oauth2.client.OAuth2AuthorizedClient",
            "org.springframework.security.oauth2.core.OAuth2Token",
            "org.springframework.security.web.csrf.CsrfToken",
            "org.springframework.ui.Model",
            "org.springframework.ui.ModelMap",
            "org.springframework.validation.Errors",
            "org.springframework.web.bind.support.SessionStatus",
            "org.springframework.web.context.request.RequestAttributes",
            "org.springframework.web.multipart.MultipartRequest",
            "org.springframework.web.util.UriBuilder");

    private static final String FUNCTIONS = "java.util.function";

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        if (!(operation instanceof CallOperation call) || call.fingerprintExpression() != null) {
            return;
        }
        boolean isHandler = AttemptArguments.isHandler(operation.method());
        Set<Integer> ofKey = call.keyExpression().namedArguments();
        for (MethodParameter parameter : new AnnotatedMethod(operation.method()).getMethodParameters()) {
            if (!isData(parameter)) {
                throw refused(operation, parameter, "which is not data and cannot tell one payload from another.");
            }
            if (isHandler && !ofKey.contains(parameter.getParameterIndex()) && AttemptArguments.include(parameter)) {
                throw refused(
                        operation,
                        parameter,
                        "which belongs to one attempt of the client and not to what it intends: its repeat would be refused as"
                                + " another payload.");
            }
        }
    }

    private static InvalidIdempotentMethodException refused(
            IdempotentOperation operation, MethodParameter parameter, String reason) {
        String annotations = Stream.of(parameter.getParameterAnnotations())
                .map(annotation -> "@" + annotation.annotationType().getSimpleName() + " ")
                .collect(Collectors.joining());
        return new InvalidIdempotentMethodException(
                "The idempotent method " + operation.describe() + " has a parameter of type " + annotations
                        + parameter.getGenericParameterType().getTypeName() + ", " + reason,
                "Name what makes the payload with fingerprint = \"...\", for example fingerprint ="
                        + " \"#command\" or fingerprint = \"{#accountId, #amount}\".");
    }

    static boolean isData(MethodParameter parameter) {
        return !FUNCTIONS.equals(parameter.getParameterType().getPackageName())
                && !NOT_DATA.include(parameter.getParameterType())
                && !NOT_DATA.areIn(ResolvableType.forType(parameter.getGenericParameterType()));
    }
}
