package io.idempotency.boot.web;

import java.lang.reflect.Method;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

import io.idempotency.internal.call.FingerprintContributor;

/** The contributor of method, path and query of the request to the fingerprint of an idempotent handler method. */
final class HandlerRequestContributor implements FingerprintContributor {

    @Override
    public List<String> of(Method method) {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                        && isHandledBy(method, attributes.getRequest())
                ? partsOf(attributes.getRequest())
                : List.of();
    }

    private static List<String> partsOf(HttpServletRequest request) {
        List<String> parts = new ArrayList<>(List.of(request.getMethod(), pathOf(request)));
        String query = request.getQueryString();
        if (query != null) {
            Stream.of(query.split("&"))
                    .filter(parameter -> !parameter.isEmpty())
                    .map(Parameter::of)
                    .sorted(Comparator.comparing(Parameter::name))
                    .forEach(parameter -> parts.addAll(List.of(parameter.name(), parameter.value())));
        }
        return parts;
    }

    private static boolean isHandledBy(Method method, HttpServletRequest request) {
        return KeyHeader.attributeOf(request, HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)
                        instanceof HandlerMethod handler
                && AopUtils.getMostSpecificMethod(handler.getMethod(), method.getDeclaringClass())
                        .equals(method);
    }

    private static String pathOf(HttpServletRequest request) {
        String path = rawPathOf(request);
        return path.indexOf(';') < 0 ? path : withoutSession(path, request.getServletContext());
    }

    /** Removes the id of the session, which a container adds to links for a client without cookies. */
    private static String withoutSession(String path, ServletContext context) {
        String name = context.getSessionCookieConfig().getName();
        return Pattern.compile(
                        ";" + Pattern.quote(name == null ? "jsessionid" : name) + "=[^;/]*", Pattern.CASE_INSENSITIVE)
                .matcher(path)
                .replaceAll("");
    }

    private static String rawPathOf(HttpServletRequest request) {
        return ServletRequestPathUtils.hasParsedRequestPath(request)
                ? ServletRequestPathUtils.getParsedRequestPath(request)
                        .pathWithinApplication()
                        .value()
                : request.getRequestURI().substring(request.getContextPath().length());
    }

    /** A parameter of the query, decoded. Several of one name keep their order, which the application may see. */
    private record Parameter(String name, String value) {

        static Parameter of(String text) {
            int equals = text.indexOf('=');
            return equals < 0
                    ? new Parameter(decoded(text), "")
                    : new Parameter(decoded(text.substring(0, equals)), decoded(text.substring(equals + 1)));
        }

        private static String decoded(String text) {
            try {
                return URLDecoder.decode(text, StandardCharsets.UTF_8);
            } catch (IllegalArgumentException malformed) {
                return text;
            }
        }
    }
}
