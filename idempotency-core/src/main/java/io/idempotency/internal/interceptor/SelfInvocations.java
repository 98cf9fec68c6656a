package io.idempotency.internal.interceptor;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

import io.idempotency.internal.operation.IdempotentOperation;

/**
 * The warning about calls that an object makes of its own idempotent methods: they do not pass its proxy. The class files tell them.
 * There is no warning if a class file cannot be read, as in a native image, and none about a call that may have another receiver.
 */
final class SelfInvocations {

    private static final Logger logger = LoggerFactory.getLogger(SelfInvocations.class);

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /** Warns once about each method of a class, or of its supertypes, that calls one of its idempotent methods. */
    void warn(Class<?> userClass, Collection<IdempotentOperation> operations) {
        Map<String, Class<?>> types = typesOf(userClass);
        Set<String> names = operations.stream()
                .map(operation -> operation.method().getName())
                .collect(Collectors.toSet());
        for (Class<?> type : types.values()) {
            for (ClassCode.Body caller : read(type)) {
                Set<Method> called = new HashSet<>();
                for (ThisFlow.Call call : caller.calls()) {
                    Method method = names.contains(call.name()) ? resolve(call, types, userClass) : null;
                    if (method != null) {
                        called.add(method);
                    }
                }
                operations.stream()
                        .filter(operation -> called.contains(operation.method()))
                        .filter(operation -> runsOnTarget(caller, type, userClass, operation.method()))
                        .forEach(operation -> warn(caller.describe(type), operation));
            }
        }
    }

    private void warn(String caller, IdempotentOperation operation) {
        if (told.add(caller + " " + operation.describe())) {
            logger.warn(
                    "{} calls {} on 'this', past the bean's proxy: so called, the method has neither its {} nor the"
                            + " transaction that it declares. Unless its caller is idempotent, a repeat takes effect again. Calls from"
                            + " other beans are not affected. Move one of the two methods to another bean; or let the bean have itself injected"
                            + " with @Lazy, and call the method on that.",
                    caller,
                    operation.describe(),
                    operation.annotation());
        }
    }

    /** Returns the types whose code may run on an object of a class, without those of the JDK. */
    private static Map<String, Class<?>> typesOf(Class<?> userClass) {
        Map<String, Class<?>> types = new LinkedHashMap<>();
        for (Class<?> type = userClass; type != null; type = type.getSuperclass()) {
            types.put(Type.getInternalName(type), type);
        }
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(userClass)) {
            types.put(Type.getInternalName(type), type);
        }
        types.values().removeIf(type -> type.getClassLoader() == null);
        return types;
    }

    private static Collection<ClassCode.Body> read(Class<?> type) {
        try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
            return file == null ? Set.of() : ClassCode.read(file).bodies();
        } catch (IOException | RuntimeException unreadable) {
            // For example, with constants that are newer than Spring's reader.
            return Set.of();
        }
    }

    /** Returns the method that a call on an object of a class executes; {@code null} if it is not known. */
    private static @Nullable Method resolve(ThisFlow.Call call, Map<String, Class<?>> types, Class<?> userClass) {
        Class<?> owner = types.get(call.owner());
        Method method = owner == null ? null : find(owner, call.name(), call.descriptor());
        return method == null || call.isExact() ? method : AopUtils.getMostSpecificMethod(method, userClass);
    }

    private static @Nullable Method find(Class<?> owner, String name, String descriptor) {
        Set<Class<?>> declaring = new LinkedHashSet<>();
        for (Class<?> type = owner; type != null; type = type.getSuperclass()) {
            declaring.add(type);
        }
        declaring.addAll(ClassUtils.getAllInterfacesForClassAsSet(owner));
        return declaring.stream()
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(method -> method.getName().equals(name)
                        && Type.getMethodDescriptor(method).equals(descriptor))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns whether a caller runs on the bean's own object. A final method that is called from outside runs on a class-based proxy,
     * and its calls are intercepted. One that is overridden may not run at all. A method that calls itself is in its claim already.
     */
    private static boolean runsOnTarget(ClassCode.Body caller, Class<?> type, Class<?> userClass, Method called) {
        Method method = find(type, caller.name(), caller.descriptor());
        if (method == null || Modifier.isPrivate(method.getModifiers())) {
            return true;
        }
        return !method.equals(called)
                && !Modifier.isFinal(method.getModifiers())
                && AopUtils.getMostSpecificMethod(method, userClass).equals(method);
    }
}
