package io.idempotency.internal.codec;

import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.type.TypeFactory;

/**
 * Names the classes of values, as they are written in the source: a name has to stay the same in each JVM, and from one
 * deployment to the next.
 */
final class PayloadTypes {

    private static final ClassValue<NamedType> TYPES = new ClassValue<>() {
        @Override
        protected NamedType computeValue(Class<?> type) {
            Class<?> written = asWritten(type);
            return new NamedType(written, tellsItself(written) ? null : written.getTypeName());
        }
    };

    private PayloadTypes() {}

    /**
     * Returns the name of a value's class, or {@code null} if the declared type or the JSON tells it: the platform's own
     * values are what their text says, and any list is a list.
     */
    static @Nullable String nameOf(Object value, Class<?> declared) {
        NamedType type = TYPES.get(value.getClass());
        return type.written == declared ? null : type.name;
    }

    /** Constants with a body, anonymous classes, lambdas and proxies have names that the next deployment does not give. */
    private static Class<?> asWritten(Class<?> type) {
        Class<?> written = type;
        while (isMadeUp(written)) {
            Class<?> superclass = written.getSuperclass();
            if (superclass != Object.class && superclass != Proxy.class) {
                written = superclass;
            } else if (written.getInterfaces().length > 0) {
                written = written.getInterfaces()[0];
            } else {
                return written;
            }
        }
        return written;
    }

    private static boolean isMadeUp(Class<?> type) {
        return type.isAnonymousClass()
                || type.isSynthetic()
                || type.isHidden()
                || Proxy.isProxyClass(type)
                || type.getName().contains("$$")
                || type.getName().contains("$HibernateProxy$");
    }

    private static boolean tellsItself(Class<?> type) {
        if (type.isArray()) {
            return tellsItself(type.getComponentType());
        }
        return type.isPrimitive()
                || isOfPlatform(type)
                || type.getName().startsWith("tools.jackson.")
                || ((Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type))
                        && holdsAnything(type));
    }

    /** Elements of a class that extends a list of one type are not asked for theirs. */
    private static boolean holdsAnything(Class<?> type) {
        JavaType content =
                TypeFactory.createDefaultInstance().constructType(type).getContentType();
        return content == null || isOfPlatform(content.getRawClass());
    }

    private static boolean isOfPlatform(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    /**
     * @param written as the source names it
     * @param name {@code null} if the JSON tells it
     */
    private record NamedType(Class<?> written, @Nullable String name) {}
}
