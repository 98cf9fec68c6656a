package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.support.ReflectiveConstructorResolver;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.util.ReflectionUtils;

/**
 * The evaluation of an expression that puts its value together of parts. SpEL makes the text "null" of a missing part, which would
 * be the same for all. Only {@code ?:} and a condition decide what stands for one.
 *
 * @param state state of the evaluation
 * @param textOf makes the text of a part, or refuses it
 */
record KeyParts(ExpressionState state, Function<Object, String> textOf) {

    /** Resolves methods, but refuses arguments that are missing. */
    static final List<MethodResolver> METHODS = List.of(new Methods());

    /** Resolves constructors, but refuses arguments that are missing. */
    static final List<ConstructorResolver> CONSTRUCTORS = List.of((context, type, argumentTypes) -> {
        requireArguments(type, argumentTypes);
        return new ReflectiveConstructorResolver().resolve(context, type, argumentTypes);
    });

    /**
     * Evaluates an expression.
     *
     * @throws MissingPartException if a part is missing
     */
    @Nullable Object value(SpelNode node) {
        if (node instanceof OpPlus && node.getChildCount() == 2) {
            return sum(node);
        }
        if (node instanceof Ternary && node.getChild(0).getValue(state) instanceof Boolean condition) {
            return value(node.getChild(condition ? 1 : 2));
        }
        if (node instanceof Elvis) {
            Object first = value(node.getChild(0));
            Object unwrapped = first instanceof Optional<?> optional ? optional.orElse(null) : first;
            return unwrapped == null || unwrapped.equals("") ? value(node.getChild(1)) : unwrapped;
        }
        requireWithin(node);
        return node.getValue(state);
    }

    /** Evaluates what is put together deeper inside, of which SpEL tells nothing. Parts of elements of a list are left out. */
    private void requireWithin(SpelNode node) {
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (child instanceof OpPlus || child instanceof Ternary || child instanceof Elvis) {
                value(child);
            } else if (!(child instanceof Selection || child instanceof Projection)) {
                requireWithin(child);
            }
        }
    }

    private @Nullable Object sum(SpelNode node) {
        Object left = part(node.getChild(0));
        Object right = part(node.getChild(1));
        return left instanceof Number && right instanceof Number
                ? node.getValue(state)
                : textOf.apply(left) + textOf.apply(right);
    }

    private Object part(SpelNode node) {
        Object value = value(node);
        if (value == null) {
            throw new MissingPartException(node.toStringAST() + " is null");
        }
        return value;
    }

    private static void requireArguments(String name, List<@Nullable TypeDescriptor> types) {
        int missing = types.indexOf(null);
        if (missing >= 0) {
            throw new MissingPartException("argument " + (missing + 1) + " of " + name + "() is null");
        }
    }

    private static boolean hasNull(@Nullable Object value) {
        return value instanceof Collection<?> elements
                ? elements.stream().anyMatch(Objects::isNull)
                : value instanceof Object[] array && Arrays.stream(array).anyMatch(Objects::isNull);
    }

    private static final class Methods extends ReflectiveMethodResolver {

        @Override
        public @Nullable MethodExecutor resolve(
                EvaluationContext context, Object target, String name, List<TypeDescriptor> argumentTypes)
                throws AccessException {
            requireArguments(name, argumentTypes);
            MethodExecutor found = super.resolve(context, target, name, argumentTypes);
            return found == null
                    ? null
                    : (evaluation, object, arguments) -> {
                        requireText(object, name, arguments);
                        return found.execute(evaluation, object, arguments);
                    };
        }

        private static void requireText(Object target, String name, @Nullable Object[] arguments) {
            if (name.equals("toString") && arguments.length == 0) {
                if (hasNull(target)) {
                    throw new MissingPartException("the list of which it takes toString() has a null");
                }
                requireOwnText(target);
            }
            for (int i = 0; i < arguments.length; i++) {
                if (hasNull(arguments[i])) {
                    throw new MissingPartException("argument " + (i + 1) + " of " + name + "() has a null");
                }
                if (target == String.class || target == Objects.class || target instanceof CharSequence) {
                    requireOwnText(arguments[i]);
                }
            }
        }

        private static void requireOwnText(@Nullable Object value) {
            if (value != null && !hasOwnText(value.getClass())) {
                throw new IllegalArgumentException(value.getClass().getName()
                        + " has no toString() of its own, so that each object has another text");
            }
        }
    }

    /** Returns whether a class overrides {@code toString}, or is an interface, of which that is not known. */
    static boolean hasOwnText(Class<?> type) {
        Method toString = ReflectionUtils.findMethod(type, "toString");
        return toString == null || toString.getDeclaringClass() != Object.class;
    }

    /** Thrown if a part of a value is missing. */
    static final class MissingPartException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        MissingPartException(String part) {
            super(part);
        }
    }
}
