package io.idempotency.internal.operation;

import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;

import io.idempotency.InvalidIdempotentMethodException;

/** The rule that the expression of a key can give a key, which is another one for another intent and the same for a repeat. */
final class KeyExpressionRule implements OperationRule {

    /** Methods whose result is another one each time. */
    private static final Set<String> NOT_REPEATABLE = Set.of(
            "randomUUID",
            "random",
            "identityHashCode",
            "now",
            "currentTimeMillis",
            "nanoTime",
            "millis",
            "nextInt",
            "nextLong");

    private static final Set<String> NOT_REPEATABLE_IF_NEW = Set.of("Object", "java.lang.Object", "java.util.Date");

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        ExpressionAnalysis key = operation.keyExpression().analysis();
        checkNames(operation, key, targetClass);
        checkNodes(operation, key, key.root());
        if (key.isConstant() && operation.method().getParameterCount() > 0) {
            throw refusal(
                    operation,
                    "gives the same value for all calls, so that only the first one would have an effect.",
                    "Name an argument that tells one intent from another, as in #"
                            + operation.method().getParameters()[0].getName()
                            + ". For something that happens once, call IdempotencyOperations with a key of that name.");
        }
        ExpressionType.KEY.check(operation.keyExpression());
    }

    private static void checkNames(IdempotentOperation operation, ExpressionAnalysis key, Class<?> targetClass) {
        for (SpelNode node : key.namesOfTarget()) {
            // The object of a bean that is declared by an interface may have any property.
            if (!targetClass.isInterface()
                    && node instanceof PropertyOrFieldReference property
                    && !ArgumentExpression.hasProperty(targetClass, property.getName())) {
                boolean isArgument = Arrays.stream(operation.method().getParameters())
                        .anyMatch(parameter -> parameter.getName().equals(property.getName()));
                throw refusal(
                        operation,
                        "reads '" + property.getName() + "' of the bean, but " + targetClass.getName()
                                + " has no such property.",
                        isArgument
                                ? "Did you mean #" + property.getName() + "? Arguments have a #."
                                : "Arguments have a #, and a text has quotes inside the quotes.");
            }
        }
    }

    private static void checkNodes(IdempotentOperation operation, ExpressionAnalysis key, SpelNode node) {
        if ((node instanceof MethodReference method && NOT_REPEATABLE.contains(method.getName()))
                || (node instanceof ConstructorReference constructor
                        && constructor.getChildCount() == 1
                        && NOT_REPEATABLE_IF_NEW.contains(
                                constructor.getChild(0).toStringAST()))) {
            throw refusal(
                    operation,
                    "calls " + node.toStringAST()
                            + ", which gives another value to a repeat, so that its effect is doubled.",
                    "Let the caller choose the key, once for each intent, and pass it as an argument.");
        }
        Class<?> textOf = key.targetOfToString(node);
        if (textOf != null && isFinished(textOf) && !KeyParts.hasOwnText(textOf)) {
            throw refusal(
                    operation,
                    "takes toString() of " + textOf.getName()
                            + ", which has none of its own, so that each object has another.",
                    adviceFor(textOf));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkNodes(operation, key, node.getChild(i));
        }
    }

    /** A subclass of a class that is not finished may have a toString of its own. */
    private static boolean isFinished(Class<?> type) {
        return type != Object.class && (type.isArray() || !Modifier.isAbstract(type.getModifiers()));
    }

    static String adviceFor(Class<?> type) {
        if (type.isRecord()) {
            return "Use the component that tells one intent from another: "
                    + Arrays.stream(type.getRecordComponents())
                            .map(RecordComponent::getName)
                            .collect(Collectors.joining(", "))
                    + ".";
        }
        if (type.getName().startsWith("java.time.") || java.util.Date.class.isAssignableFrom(type)) {
            return "Use the id of what happens then: two intents may have one moment, and a repeat may have it with other"
                    + " digits. If the moment is the intent, let the caller send it as a text.";
        }
        if (Number.class.isAssignableFrom(type) || type == double.class || type == float.class) {
            return "Use an id, or a text: 1.0 and 1.00 are one number.";
        }
        return "Use the value in it that tells one intent from another, such as its id.";
    }

    private static InvalidIdempotentMethodException refusal(
            IdempotentOperation operation, String problem, String action) {
        return new InvalidIdempotentMethodException("The " + operation.keyExpression() + " " + problem, action);
    }
}
