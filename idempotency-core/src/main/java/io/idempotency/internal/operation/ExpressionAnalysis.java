package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/** The properties of an expression that are known before it is evaluated. */
record ExpressionAnalysis(SpelNode root, Map<String, Integer> indexes, List<Class<?>> parameterTypes) {

    /** {@return the names of the expression that are read of the bean} */
    List<SpelNode> namesOfTarget() {
        List<SpelNode> names = new ArrayList<>();
        collectNamesOfTarget(root, true, true, names);
        return names;
    }

    /** A name without a variable is read of the bean, if it begins a path; in elements of a list, it is read of the element. */
    private static void collectNamesOfTarget(
            SpelNode node, boolean beginsPath, boolean isOutside, List<SpelNode> names) {
        if (node instanceof VariableReference
                ? ArgumentExpression.nameOf(node).equals("root")
                        || (isOutside && ArgumentExpression.nameOf(node).equals("this"))
                : beginsPath
                        && isOutside
                        && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            names.add(node);
        }
        boolean isInElement = node instanceof Selection || node instanceof Projection;
        boolean isKeyOfMap = node instanceof Indexer && node.getChild(0) instanceof PropertyOrFieldReference;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean isLater = isKeyOfMap || (node instanceof CompoundExpression && i > 0);
            collectNamesOfTarget(node.getChild(i), !isLater, isOutside && !isInElement, names);
        }
    }

    /** {@return the arguments that it names, and the paths that begin with one, such as {@code #p0.id}} */
    Set<String> paths() {
        Set<String> paths = new HashSet<>();
        collectPaths(root, paths);
        return paths;
    }

    static String pathOf(int argument) {
        return "#p" + argument;
    }

    private void collectPaths(SpelNode node, Set<String> paths) {
        SpelNode first = node instanceof CompoundExpression ? node.getChild(0) : node;
        Integer index = first instanceof VariableReference ? indexes.get(ArgumentExpression.nameOf(first)) : null;
        if (index != null) {
            paths.add(pathOf(index)
                    + node.toStringAST().substring(first.toStringAST().length()).replace("?.", "."));
        }
        for (int i = 0; i < node.getChildCount() && index == null; i++) {
            collectPaths(node.getChild(i), paths);
        }
    }

    /** {@return whether it neither names an argument nor calls a method or getter, so that its value is the same for all calls} */
    boolean isConstant() {
        return paths().isEmpty() && !calls(root);
    }

    private static boolean calls(SpelNode node) {
        boolean calls = node instanceof MethodReference || node instanceof PropertyOrFieldReference;
        for (int i = 0; i < node.getChildCount() && !calls; i++) {
            calls = calls(node.getChild(i));
        }
        return calls;
    }

    /** Returns the declared type of an argument, or of a path of properties that begins with one; {@code null} if not known. */
    @Nullable Class<?> typeOf(SpelNode node) {
        if (node instanceof VariableReference) {
            Integer index = indexes.get(ArgumentExpression.nameOf(node));
            return index == null ? null : parameterTypes.get(index);
        }
        return node instanceof CompoundExpression ? typeOf(node, node.getChildCount()) : null;
    }

    private @Nullable Class<?> typeOf(SpelNode path, int steps) {
        Class<?> type = typeOf(path.getChild(0));
        for (int i = 1; type != null && i < steps; i++) {
            type = memberType(type, path.getChild(i));
        }
        return type;
    }

    /** Returns the declared type of the last object in a path whose {@code toString} a node takes; otherwise {@code null}. */
    @Nullable Class<?> targetOfToString(SpelNode node) {
        int last = node.getChildCount() - 1;
        return node instanceof CompoundExpression
                        && node.getChild(last) instanceof MethodReference method
                        && method.getName().equals("toString")
                        && method.getChildCount() == 0
                ? typeOf(node, last)
                : null;
    }

    private static @Nullable Class<?> memberType(Class<?> declared, SpelNode member) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(declared);
        if (type.isArray() || type == Class.class || type == Optional.class) {
            return null;
        }
        String name = member instanceof PropertyOrFieldReference property
                ? property.getName()
                : member instanceof MethodReference method && method.getChildCount() == 0 ? method.getName() : null;
        boolean isProperty = member instanceof PropertyOrFieldReference;
        List<Class<?>> types = Stream.of(type.getMethods())
                .filter(method -> method.getParameterCount() == 0 && !method.isBridge())
                .filter(method -> method.getName().equals(name)
                        || (isProperty && method.getName().equalsIgnoreCase("get" + name)))
                .<Class<?>>map(Method::getReturnType)
                .distinct()
                .toList();
        return types.size() == 1 ? types.get(0) : null;
    }
}
