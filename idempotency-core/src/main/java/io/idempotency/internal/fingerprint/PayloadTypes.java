package io.idempotency.internal.fingerprint;

import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.type.TypeFactory;

/** The names of values' classes in the source code, which are the same in each JVM and in each deployment. */
final class PayloadTypes {

    private static final ClassValue<NamedType> TYPES = new ClassValue<>() {
        @Override
        protected NamedType computeValue(Class<?> type) {
            Class<?> sourceType = sourceTypeOf(type);
            return new NamedType(sourceType, isImpliedByJson(sourceType) ? null : sourceType.getTypeName());
        }
    };

    private PayloadTypes() {}

    /**
     * Returns the name of a value's class, or {@code null} if it does not count: because it is the declared type,
     * belongs to the Java platform or to Jackson, or is a collection or map with open content.
     */
    static @Nullable String nameOf(Object value, Class<?> declared) {
        NamedType type = TYPES.get(value.getClass());
        return type.sourceType == declared ? null : type.name;
    }

    /**
     * Skips enum constants with a body, anonymous classes, lambdas and proxies, whose names may change with the next
     * deployment.
     */
    private static Class<?> sourceTypeOf(Class<?> type) {
        Class<?> sourceType = type;
        while (isGenerated(sourceType)) {
            Class<?> superclass = sourceType.getSuperclass();
            if (superclass != Object.class && superclass != Proxy.class) {
                sourceType = superclass;
            } else if (sourceType.getInterfaces().length > 0) {
                sourceType = sourceType.getInterfaces()[0];
            } else {
                return sourceType;
            }
        }
        return sourceType;
    }

    static boolean isGenerated(Class<?> type) {
        return type.isAnonymousClass()
                || type.isSynthetic()
                || type.isHidden()
                || Proxy.isProxyClass(type)
                || type.getName().contains("$$")
                || type.getName().contains("$HibernateProxy$");
    }

    private static boolean isImpliedByJson(Class<?> type) {
        if (type.isArray()) {
            return isImpliedByJson(type.getComponentType());
        }
        return type.isPrimitive()
                || isOfPlatform(type)
                || type.getName().startsWith("tools.jackson.")
                || ((Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type))
                        && hasOpenContent(type));
    }

    /** Returns whether the type of the elements is open; otherwise the collection's class implies it. */
    private static boolean hasOpenContent(Class<?> type) {
        JavaType content =
                TypeFactory.createDefaultInstance().constructType(type).getContentType();
        return content == null || isOfPlatform(content.getRawClass());
    }

    static boolean isOfPlatform(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    /**
     * The class of a value and its name.
     *
     * @param name name of the class; {@code null} if it does not count
     */
    private record NamedType(Class<?> sourceType, @Nullable String name) {}
}
