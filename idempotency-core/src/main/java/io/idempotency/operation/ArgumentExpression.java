package io.idempotency.operation;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * A SpEL expression over the arguments of one method: {@code #name}, {@code #p0} or {@code #a0}. Parsed and checked
 * once; evaluating it is safe on many threads.
 */
public final class ArgumentExpression {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final String attribute;

    private final Method method;

    private final SpelExpression expression;

    private ArgumentExpression(String attribute, Method method, SpelExpression expression) {
        this.attribute = attribute;
        this.method = method;
        this.expression = expression;
    }

    /**
     * Parses an expression and checks that every variable is there.
     *
     * @param annotation with its {@code @}, for reports
     * @param attribute of the annotation, for reports
     * @param text the expression
     * @param method whose arguments it is over
     * @param furtherVariables names that are bound beside the arguments
     * @return the parsed expression
     * @throws InvalidIdempotentMethodException if it cannot be parsed, or names what is not there
     */
    static ArgumentExpression parse(
            String annotation, String attribute, String text, Method method, String... furtherVariables) {
        SpelExpression expression;
        try {
            expression = new SpelExpressionParser(new SpelParserConfiguration()).parseRaw(text);
        } catch (ParseException | IllegalStateException | IllegalArgumentException failure) {
            throw new InvalidIdempotentMethodException(
                    "The " + attribute + " of " + annotation + " on " + MethodDescription.of(method)
                            + " is not valid SpEL: '" + text + "': " + failure.getMessage() + ".",
                    "Correct the expression; a literal string needs quotes inside the quotes, as in \"'daily'\".");
        }
        requireVariables(annotation, attribute, text, method, expression, Set.of(furtherVariables));
        return new ArgumentExpression(attribute, method, expression);
    }

    private static void requireVariables(
            String annotation,
            String attribute,
            String text,
            Method method,
            SpelExpression expression,
            Set<String> further) {
        String @Nullable [] names = NAMES.getParameterNames(method);
        Set<String> known = new HashSet<>(further);
        known.add("root");
        known.add("this");
        for (int i = 0; i < method.getParameterCount(); i++) {
            known.add("p" + i);
            known.add("a" + i);
            if (names != null) {
                known.add(names[i]);
            }
        }
        Set<String> used = new HashSet<>();
        collectVariables(expression.getAST(), used);
        used.removeAll(known);
        if (!used.isEmpty()) {
            throw new InvalidIdempotentMethodException(
                    "The " + attribute + " of " + annotation + " on " + MethodDescription.of(method) + " is '" + text
                            + "', but there is no #" + String.join(", #", used) + ".",
                    names == null && method.getParameterCount() > 0
                            ? "Compile with -parameters, so that parameters have names at run time, or write #p0."
                            : "Use the names of the parameters, or #p0 for the first one.");
        }
    }

    private static void collectVariables(SpelNode node, Set<String> names) {
        if (node instanceof VariableReference) {
            names.add(node.toStringAST().substring(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collectVariables(node.getChild(i), names);
        }
    }

    /**
     * The expression as it was written.
     *
     * @return SpEL
     */
    public String text() {
        return expression.getExpressionString();
    }

    @Nullable Object evaluate(Object target, @Nullable Object[] arguments) {
        return expression.getValue(new MethodBasedEvaluationContext(target, method, arguments, NAMES));
    }

    @Nullable Object evaluate(Object target, @Nullable Object[] arguments, String variable, @Nullable Object value) {
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(target, method, arguments, NAMES);
        context.setVariable(variable, value);
        return expression.getValue(context);
    }

    @Override
    public String toString() {
        return attribute + " = " + text();
    }
}
