package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.NullLiteral;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpOr;
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
 * @param textOf makes the text of a part, or refuses it
 */
record KeyParts(ExpressionState state, Function<Object, String> textOf) {

    /**
     * Returns resolvers of methods that refuse arguments that are missing.
     *
     * @param nulls arguments that may be null
     */
    static List<MethodResolver> methods(Set<String> nulls) {
        return List.of(new Methods(nulls));
    }

    /** Resolves constructors, but refuses arguments that are missing. */
    static final List<ConstructorResolver> CONSTRUCTORS = List.of((context, type, argumentTypes) -> {
        requireArguments(type, argumentTypes, Set.of());
        return new ReflectiveConstructorResolver().resolve(context, type, argumentTypes);
    });

    /** Returns the arguments that are written as null, as in {@code orElse(null)}, so that they are not missing. */
    static Set<String> nullsIn(SpelNode node) {
        Set<String> nulls = new HashSet<>();
        for (int i = 0; i < node.getChildCount(); i++) {
            if (node instanceof MethodReference method && node.getChild(i) instanceof NullLiteral) {
                nulls.add(argument(i, method.getName()));
            }
            nulls.addAll(nullsIn(node.getChild(i)));
        }
        return nulls;
    }

    private static String argument(int index, String name) {
        return "argument " + (index + 1) + " of " + name + "()";
    }

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
        Object value = node.getValue(state);
        if (value != null) {
            requireWithin(node);
        }
        return value;
    }

    /**
     * Evaluates what is put together deeper inside, of which SpEL tells nothing. Parts of elements of a list are left out, and those
     * of conditions, which SpEL may not evaluate.
     */
    private void requireWithin(SpelNode node) {
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (child instanceof OpPlus || child instanceof Ternary || child instanceof Elvis) {
                value(child);
            } else if (!(child instanceof Selection
                    || child instanceof Projection
                    || child instanceof OpAnd
                    || child instanceof OpOr)) {
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

    private static void requireArguments(String name, List<@Nullable TypeDescriptor> types, Set<String> nulls) {
        for (int i = 0; i < types.size(); i++) {
            if (types.get(i) == null && !nulls.contains(argument(i, name))) {
                throw new MissingPartException(argument(i, name) + " is null");
            }
        }
    }

    private static boolean hasNull(@Nullable Object value) {
        return value instanceof Collection<?> elements
                ? elements.stream().anyMatch(Objects::isNull)
                : value instanceof Object[] array && Arrays.stream(array).anyMatch(Objects::isNull);
    }

    private static final class Methods extends ReflectiveMethodResolver {

        private final Set<String> nulls;

        Methods(Set<String> nulls) {
            this.nulls = nulls;
        }

        @Override
        public @Nullable MethodExecutor resolve(
                EvaluationContext context, Object target, String name, List<TypeDescriptor> argumentTypes)
                throws AccessException {
            requireArguments(name, argumentTypes, nulls);
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
                    throw new MissingPartException(argument(i, name) + " has a null");
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
