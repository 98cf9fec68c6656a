package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;

import io.idempotency.ExpressionFailedException;
import io.idempotency.InvalidIdempotentMethodException;

/**
 * A SpEL expression over the arguments of one method: {@code #name}, {@code #p0} or {@code #a0}. Parsed and checked
 * once; evaluating it is safe on many threads.
 */
public final class ArgumentExpression {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

    /** Variables of SpEL itself, which are no arguments. */
    private static final Set<String> RESERVED = Set.of("root", "this");

    private final String attribute;

    /** For error messages. */
    private final String location;

    private final SpelExpression expression;

    private final Map<String, Integer> indexes;

    /** The index of the argument if the expression is just its name, as most are; otherwise {@code null}. */
    private final @Nullable Integer soleArgument;

    private final Type declaredType;

    private final List<Class<?>> parameterTypes;

    /** Methods, but with arguments that are not missing. */
    private final List<MethodResolver> methods;

    private ArgumentExpression(
            String annotation,
            String attribute,
            SpelExpression expression,
            Method method,
            Map<String, Integer> indexes) {
        this.attribute = attribute;
        this.location = annotation + " on " + MethodDescription.of(method);
        this.expression = expression;
        this.indexes = indexes;
        this.parameterTypes = List.of(method.getParameterTypes());
        this.methods = KeyParts.methods(KeyParts.nullsIn(expression.getAST()));
        this.soleArgument = expression.getAST() instanceof VariableReference only ? indexes.get(nameOf(only)) : null;
        this.declaredType = soleArgument == null ? Object.class : method.getGenericParameterTypes()[soleArgument];
    }

    /**
     * Parses an expression and checks that every variable is known.
     *
     * @throws InvalidIdempotentMethodException if it cannot be parsed, names an unknown variable, or a property that a
     *     parameter of a final class does not have
     */
    static ArgumentExpression parse(
            String annotation, String attribute, String text, Method method, String... furtherVariables) {
        SpelExpression expression;
        try {
            expression = new SpelExpressionParser(CONFIGURATION).parseRaw(text);
        } catch (ParseException | IllegalStateException | IllegalArgumentException failure) {
            throw new InvalidIdempotentMethodException(
                    "The " + attribute + " of " + annotation + " on " + MethodDescription.of(method)
                            + " is not valid SpEL: '" + text + "': " + failure.getMessage() + ".",
                    "Correct the expression; a literal string needs quotes inside the quotes, as in \"'daily'\".");
        }
        Set<String> noArguments = new HashSet<>(RESERVED);
        noArguments.addAll(Set.of(furtherVariables));
        Map<String, Integer> indexes = indexesOf(method, noArguments);
        Set<String> known = new HashSet<>(indexes.keySet());
        known.addAll(noArguments);
        requireVariables(annotation, attribute, text, method, expression, known);
        requireProperties(annotation, attribute, text, method, expression.getAST(), indexes);
        return new ArgumentExpression(annotation, attribute, expression, method, indexes);
    }

    /** The class of a lambda expression has no names, but its interface may. */
    private static String @Nullable [] namesOf(Method method) {
        Class<?> type = method.getDeclaringClass();
        return NAMES.getParameterNames(
                ClassUtils.isLambdaClass(type) ? ClassUtils.getInterfaceMethodIfPossible(method, type) : method);
    }

    private static Map<String, Integer> indexesOf(Method method, Set<String> noArguments) {
        String @Nullable [] names = namesOf(method);
        Map<String, Integer> indexes = new HashMap<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            indexes.put("p" + i, i);
            indexes.put("a" + i, i);
            // Spring has no name for the last parameter of a suspending function of Kotlin.
            if (names != null && i < names.length) {
                indexes.put(names[i], i);
            }
        }
        noArguments.forEach(indexes::remove);
        return indexes;
    }

    private static void requireVariables(
            String annotation,
            String attribute,
            String text,
            Method method,
            SpelExpression expression,
            Set<String> known) {
        Set<String> used = new HashSet<>();
        collectVariables(expression.getAST(), used);
        used.removeAll(known);
        if (!used.isEmpty()) {
            throw new InvalidIdempotentMethodException(
                    "The " + attribute + " of " + annotation + " on " + MethodDescription.of(method) + " is '" + text
                            + "', but there is no #" + String.join(", #", used) + ".",
                    namesOf(method) == null && method.getParameterCount() > 0
                            ? "Compile with -parameters, so that parameters have names at run time, or write #p0."
                            : "Use the names of the parameters, or #p0 for the first one.");
        }
    }

    /** Only the properties of a final class are known before its values: they may have another class otherwise. */
    private static void requireProperties(
            String annotation,
            String attribute,
            String text,
            Method method,
            SpelNode node,
            Map<String, Integer> indexes) {
        if (node instanceof CompoundExpression path && path.getChild(0) instanceof VariableReference variable) {
            Integer index = indexes.get(nameOf(variable));
            Class<?> type = index == null ? null : method.getParameterTypes()[index];
            for (int i = 1; type != null && isChecked(type, i) && i < path.getChildCount(); i++) {
                if (!(path.getChild(i) instanceof PropertyOrFieldReference property)) {
                    break;
                }
                if (!hasProperty(type, property.getName())) {
                    throw new InvalidIdempotentMethodException(
                            "The " + attribute + " of " + annotation + " on " + MethodDescription.of(method) + " is '"
                                    + text + "', but " + (type.isRecord() ? "the record " : "") + type.getName()
                                    + " has no '" + property.getName() + "'.",
                            adviceFor(type, method, variable));
                }
                type = type.isRecord() ? componentsOf(type).get(property.getName()) : null;
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            requireProperties(annotation, attribute, text, method, node.getChild(i), indexes);
        }
    }

    /** SpEL may look into an {@code Optional}, and reads the static members of what a {@code Class} stands for. */
    private static boolean isChecked(Class<?> type, int step) {
        return type.isRecord()
                || (step == 1
                        && Modifier.isFinal(type.getModifiers())
                        && !type.isArray()
                        && type != Class.class
                        && type != Optional.class);
    }

    private static String adviceFor(Class<?> type, Method method, SpelNode variable) {
        if (type.isRecord()) {
            return "Use one of its components: "
                    + String.join(", ", componentsOf(type).keySet()) + ".";
        }
        return "Use a property that it has, or " + variable.toStringAST() + " itself."
                + (KotlinFunction.isMangled(method) ? " A value class of Kotlin is its value here." : "");
    }

    private static Map<String, Class<?>> componentsOf(Class<?> type) {
        Map<String, Class<?>> components = new LinkedHashMap<>();
        for (RecordComponent component : type.getRecordComponents()) {
            components.put(component.getName(), component.getType());
        }
        return components;
    }

    static boolean hasProperty(Class<?> declared, String name) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(declared);
        return Stream.of(type.getMethods())
                        .filter(method -> method.getParameterCount() == 0)
                        .map(Method::getName)
                        .anyMatch(method -> method.equals(name)
                                || method.equalsIgnoreCase("get" + name)
                                || method.equalsIgnoreCase("is" + name))
                || Stream.of(type.getFields()).anyMatch(field -> field.getName().equals(name));
    }

    private static void collectVariables(SpelNode node, Set<String> names) {
        if (node instanceof VariableReference) {
            names.add(nameOf(node));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collectVariables(node.getChild(i), names);
        }
    }

    static String nameOf(SpelNode variable) {
        return variable.toStringAST().substring(1);
    }

    /** {@return the source of the expression} */
    public String text() {
        return expression.getExpressionString();
    }

    /** {@return the indexes of the arguments that it names} */
    public Set<Integer> namedArguments() {
        Set<String> names = new HashSet<>();
        collectVariables(expression.getAST(), names);
        names.retainAll(indexes.keySet());
        return names.stream().map(indexes::get).collect(Collectors.toSet());
    }

    /** {@return whether the expression reads the bean itself} */
    public boolean readsTarget() {
        return !analysis().namesOfTarget().isEmpty();
    }

    /** {@return what the expression tells before it is evaluated} */
    ExpressionAnalysis analysis() {
        return new ExpressionAnalysis(expression.getAST(), indexes, parameterTypes);
    }

    /** {@return the type of the parameter if the expression is just its name; otherwise {@code Object}} */
    public Type declaredType() {
        return declaredType;
    }

    /**
     * Evaluates the expression.
     *
     * @throws ExpressionFailedException if SpEL refuses it; exceptions of the application's own methods are thrown
     *     unchanged
     */
    public @Nullable Object evaluate(Object target, @Nullable Object[] arguments) {
        return soleArgument == null ? evaluate(new Arguments(target, indexes, arguments)) : arguments[soleArgument];
    }

    /**
     * Evaluates an expression for a text that stands for its parts.
     *
     * @param textOf makes the text of a part, or refuses it
     * @throws KeyParts.MissingPartException if a part is missing
     * @throws ExpressionFailedException if SpEL refuses it
     */
    @Nullable Object evaluateParts(Object target, @Nullable Object[] arguments, Function<Object, String> textOf) {
        return soleArgument == null
                ? evaluateParts(new PartsOfArguments(target, indexes, arguments, methods), textOf)
                : arguments[soleArgument];
    }

    /**
     * Evaluates an expression for the text of something that is shown.
     *
     * @return the text; {@code null} if there is none, or a part is missing
     */
    @Nullable String text(Object target, @Nullable Object[] arguments, String variable, @Nullable Object value) {
        Arguments context = new PartsOfArguments(target, indexes, arguments, methods);
        context.setVariable(variable, value);
        try {
            Object text = evaluateParts(context, Object::toString);
            return text == null ? null : text.toString();
        } catch (KeyParts.MissingPartException missing) {
            return null;
        }
    }

    private @Nullable Object evaluateParts(Arguments context, Function<Object, String> textOf) {
        return evaluate(
                () -> new KeyParts(new ExpressionState(context, CONFIGURATION), textOf).value(expression.getAST()));
    }

    private @Nullable Object evaluate(Arguments context) {
        return evaluate(() -> expression.getValue(context));
    }

    private @Nullable Object evaluate(Supplier<@Nullable Object> evaluation) {
        try {
            return evaluation.get();
        } catch (EvaluationException failure) {
            throw new ExpressionFailedException(
                    "The " + this + " failed at position " + failure.getPosition() + ": " + failure.getSimpleMessage(),
                    failure);
        }
    }

    @Override
    public String toString() {
        return attribute + " '" + text() + "' of " + location;
    }

    /** A context that looks arguments up in their array, which costs a fraction of making a variable of each. */
    private static class Arguments extends StandardEvaluationContext {

        private final Map<String, Integer> indexes;

        private final @Nullable Object[] arguments;

        Arguments(Object target, Map<String, Integer> indexes, @Nullable Object[] arguments) {
            super(target);
            this.indexes = indexes;
            this.arguments = arguments;
        }

        @Override
        public @Nullable Object lookupVariable(String name) {
            Object variable = super.lookupVariable(name);
            Integer index = variable == null ? indexes.get(name) : null;
            return index == null ? variable : arguments[index];
        }
    }

    /** A context in which no argument of a method may be missing. */
    private static final class PartsOfArguments extends Arguments {

        private final List<MethodResolver> methods;

        PartsOfArguments(
                Object target,
                Map<String, Integer> indexes,
                @Nullable Object[] arguments,
                List<MethodResolver> methods) {
            super(target, indexes, arguments);
            this.methods = methods;
        }

        @Override
        public List<MethodResolver> getMethodResolvers() {
            return methods;
        }

        @Override
        public List<ConstructorResolver> getConstructorResolvers() {
            return KeyParts.CONSTRUCTORS;
        }
    }
}
