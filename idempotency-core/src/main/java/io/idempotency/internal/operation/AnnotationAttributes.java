package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * A reader of the attributes of one method's annotation, which refuses invalid ones.
 *
 * @param annotation name of the annotation, with {@code @}
 */
public record AnnotationAttributes(String annotation, Method method, StringValueResolver placeholders) {

    /** Remains in the text if a resolver that is not strict finds no value. */
    private static final String PLACEHOLDER = "${";

    private static final String DEFINE = "Define the property, or write the value itself.";

    /** Returns a name with its placeholders replaced, and checks it by a rule. */
    public String name(String attribute, String text, UnaryOperator<String> rule) {
        String name = resolve(attribute, required(attribute, text));
        try {
            return rule.apply(name);
        } catch (IllegalArgumentException malformed) {
            throw invalid(
                    attribute, name, malformed.getMessage() + ".", "Choose another name for the " + attribute + ".");
        }
    }

    /** Parses a required expression. */
    public ArgumentExpression expression(String attribute, String text) {
        return ArgumentExpression.parse(annotation, attribute, required(attribute, text), method);
    }

    /** Parses an expression; returns {@code null} if there is none. */
    public @Nullable ArgumentExpression optionalExpression(String attribute, String text, String... furtherVariables) {
        return StringUtils.hasText(text)
                ? ArgumentExpression.parse(annotation, attribute, text, method, furtherVariables)
                : null;
    }

    /** Reads a duration and checks its range; returns {@code null} if there is none. */
    public @Nullable Duration duration(String attribute, String text, UnaryOperator<Duration> rangeCheck) {
        String resolved = resolve(attribute, text);
        if (!StringUtils.hasText(resolved)) {
            return null;
        }
        if (DurationUnits.isMissing(resolved)) {
            throw invalid(attribute, resolved, "It has no unit.", DurationUnits.action(resolved));
        }
        Duration duration;
        try {
            duration = DurationFormatterUtils.detectAndParse(resolved, DurationFormat.Unit.MILLIS);
        } catch (IllegalArgumentException malformed) {
            throw invalid(attribute, resolved, "It is not a duration.", "Write one such as 5s, 7d or PT5S.");
        }
        try {
            return rangeCheck.apply(duration);
        } catch (IllegalArgumentException outOfRange) {
            throw invalid(attribute, resolved, outOfRange.getMessage() + ".", "Choose a value within these bounds.");
        }
    }

    /** Requires a retention that is not below the minimum. */
    public void requireLongEnough(String text, Duration retention, RetentionPolicy policy) {
        if (policy.isTooShort(retention)) {
            throw invalid("retention", text, policy.explainMinimum(), policy.action());
        }
    }

    private String resolve(String attribute, String text) {
        try {
            String resolved = placeholders.resolveStringValue(text);
            if (resolved != null && resolved.contains(PLACEHOLDER)) {
                throw invalid(attribute, text, "No property gives it a value: '" + resolved + "'.", DEFINE);
            }
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException unresolvable) {
            throw invalid(attribute, text, unresolvable.getMessage() + ".", DEFINE);
        }
    }

    private String required(String attribute, String text) {
        if (!StringUtils.hasText(text)) {
            throw invalid(attribute, text, "It is required.", "Add " + attribute + " = \"...\" to " + annotation + ".");
        }
        return text;
    }

    /** Returns the exception for an attribute that is not valid. */
    public InvalidIdempotentMethodException invalid(String attribute, String text, String reason, String action) {
        return new InvalidIdempotentMethodException(
                "The " + attribute + " '" + text + "' of " + annotation + " on " + MethodDescription.of(method)
                        + " is not valid. " + reason,
                action);
    }
}
