package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.beans.BeanUtils;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * The arguments of handler methods that belong to one attempt of the client and not to its intent: a proxy, a filter, the session or the
 * clock has given them, so that they differ in a repeat. Annotations are known by name, because most are not on every class path.
 */
public final class AttemptArguments {

    private static final String WEB = "org.springframework.web.bind.annotation.";

    private static final Set<String> HANDLERS =
            Set.of(WEB + "RequestMapping", "org.springframework.web.service.annotation.HttpExchange");

    private static final Set<String> ANNOTATIONS = Set.of(
            WEB + "CookieValue",
            WEB + "RequestAttribute",
            WEB + "SessionAttribute",
            "org.springframework.beans.factory.annotation.Value",
            "org.springframework.messaging.handler.annotation.Headers",
            "org.springframework.security.core.annotation.CurrentSecurityContext",
            "org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient");

    /** Gives a name, which is stable, or an object with the state of its session. */
    private static final String PRINCIPAL = "org.springframework.security.core.annotation.AuthenticationPrincipal";

    private static final String HEADER = WEB + "RequestHeader";

    /** Any other header may say what the client intends: a currency, a tenant, a version. */
    private static final Pattern HEADERS_OF_ATTEMPT = Pattern.compile(
            "traceparent|tracestate|baggage|b3|x-b3-.*|x-cloud-trace-context|(.*-)?(request|correlation|trace)-?id|accept(-.*)?"
                    + "|age|authorization|connection|content-length|cookie|date|expect|forwarded|host"
                    + "|if-(none-match|modified-since|range)|origin|referer|user-agent|via|x-forwarded-.*|x-real-ip"
                    + "|(.*-)?signature(-.*)?|(.*-)?timestamp",
            Pattern.CASE_INSENSITIVE);

    /** Spring MVC finds these in the request, unless an annotation says from where they come. A map is the model of a view. */
    private static final NamedTypes WITHOUT_ANNOTATION =
            new NamedTypes("java.util.Locale", "java.util.TimeZone", "java.time.ZoneId", "java.util.Map");

    private AttemptArguments() {}

    static boolean isHandler(Method method) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return HANDLERS.stream().anyMatch(annotations::isPresent);
    }

    /** Returns whether a parameter of a handler method gets what belongs to the attempt. */
    public static boolean include(MethodParameter parameter) {
        MergedAnnotations annotations = MergedAnnotations.from(parameter.getParameterAnnotations());
        MergedAnnotation<?> header = annotations.get(HEADER);
        if (header.isPresent()) {
            return Map.class.isAssignableFrom(parameter.getParameterType())
                    || HEADERS_OF_ATTEMPT
                            .matcher(nameOf(header.getString("value"), parameter))
                            .matches();
        }
        return ANNOTATIONS.stream().anyMatch(annotations::isPresent)
                || (annotations.isPresent(PRINCIPAL) && !BeanUtils.isSimpleValueType(parameter.getParameterType()))
                || (WITHOUT_ANNOTATION.include(parameter.getParameterType())
                        && Stream.of(parameter.getParameterAnnotations())
                                .noneMatch(annotation ->
                                        annotation.annotationType().getName().startsWith(WEB)));
    }

    private static String nameOf(String name, MethodParameter parameter) {
        if (!name.isEmpty()) {
            return name;
        }
        parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
        return String.valueOf(parameter.getParameterName());
    }
}
