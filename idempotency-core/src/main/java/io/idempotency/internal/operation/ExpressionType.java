package io.idempotency.internal.operation;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.OpPlus;

import io.idempotency.InvalidIdempotentMethodException;

/** A type that the value of an expression must have, which is checked as far as it is known before it is evaluated. */
public final class ExpressionType {

    /** The value tells one intent from another. */
    static final ExpressionType KEY = new ExpressionType(KeyValue::mayBe, KeyValue.TEXT, KeyExpressionRule::adviceFor);

    /** The value tells one stream of messages from another. */
    public static final ExpressionType STREAM = new ExpressionType(
            KeyValue::mayBe,
            KeyValue.TEXT,
            type -> "Use what all messages of a stream have in common, such as the id of the customer.");

    /** The value is the position of a message in its stream. */
    public static final ExpressionType VERSION = new ExpressionType(
            KeyValue::mayBeWholeNumber,
            "a whole number of 64 bits",
            type -> "Use a number that grows with each message of a stream, such as the version of what it is about.");

    private final Predicate<Class<?>> mayBe;

    private final String requirement;

    private final Function<Class<?>, String> advice;

    private ExpressionType(Predicate<Class<?>> mayBe, String requirement, Function<Class<?>, String> advice) {
        this.mayBe = mayBe;
        this.requirement = requirement;
        this.advice = advice;
    }

    /**
     * Checks an expression.
     *
     * @throws InvalidIdempotentMethodException if its value, or a part of it, is of another type
     */
    public void check(ArgumentExpression expression) {
        ExpressionAnalysis analysis = expression.analysis();
        check(expression, analysis, analysis.root(), false);
    }

    private void check(ArgumentExpression expression, ExpressionAnalysis analysis, SpelNode node, boolean isPart) {
        if (node instanceof OpPlus) {
            for (int i = 0; i < node.getChildCount(); i++) {
                check(expression, analysis, node.getChild(i), true);
            }
            return;
        }
        Class<?> type = analysis.typeOf(node);
        if (type != null && !mayBe.test(type) && !(isPart && (type == boolean.class || type == Boolean.class))) {
            throw new InvalidIdempotentMethodException(
                    "The " + expression + (isPart ? " has the part " + node.toStringAST() + ", a " : " gives a ")
                            + type.getTypeName() + ", but it must give " + requirement + ".",
                    type == Optional.class ? "Use what is in it, as in #id.orElse(null)." : advice.apply(type));
        }
    }
}
