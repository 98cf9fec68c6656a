package io.idempotency.internal.response;

import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;

import io.idempotency.IdempotencyStartupException;

/** A check for types that a mapper cannot read back, as far as the type alone decides, based on its deserializers. */
final class StorableTypes {

    /** A name and not a class, because JPA is not on every class path; nor is Kotlin. */
    private static final String ENTITY = "jakarta.persistence.Entity";

    private static final String KOTLIN_CLASS = "kotlin.Metadata";

    private static final String MODULE_FOR_KOTLIN = "tools.jackson.module.kotlin.KotlinModule";

    private static final String NOT_YOURS =
            "If the class is not yours, such as Spring Data's Page or PageImpl, return a record"
                    + " of what the caller needs, such as the content and the total.";

    /** A limit, because a generic type may contain ever larger types of itself. */
    private static final int MAX_TYPES = 1_000;

    private final ObjectMapper mapper;

    private final VisibleProperties visibleProperties;

    StorableTypes(ObjectMapper mapper) {
        this.mapper = mapper;
        this.visibleProperties = new VisibleProperties(mapper);
    }

    /**
     * Checks a type and all types that it contains.
     *
     * @throws IdempotencyStartupException if one of them cannot be read back
     */
    void require(Type type) {
        JavaType root = mapper.constructType(type);
        new Walk(root, mapper._deserializationContext()).check(root, "$");
    }

    private final class Walk {

        private final JavaType root;

        private final DeserializationContext context;

        private final Set<JavaType> checked = new HashSet<>();

        Walk(JavaType root, DeserializationContext context) {
            this.root = root;
            this.context = context;
        }

        void check(JavaType type, String path) {
            if (!isTyped(type)) {
                check(type, deserializerOf(type, path), path);
            }
        }

        /** Returns whether the JSON names the type, so that the declared type does not decide. */
        private boolean isTyped(JavaType type) {
            return type.getTypeHandler() != null || context.findTypeDeserializer(type) != null;
        }

        private ValueDeserializer<?> deserializerOf(JavaType type, String path) {
            try {
                return context.findContextualValueDeserializer(type, null);
            } catch (JacksonException | IllegalArgumentException unreadable) {
                throw refusal(
                        path,
                        type,
                        "which Jackson cannot read: "
                                + (unreadable instanceof JacksonException failure
                                        ? failure.getOriginalMessage()
                                        : unreadable.getMessage()),
                        type.isMapLikeType()
                                ? "Use strings, numbers, enums, dates or UUIDs as the keys of the map, or return a list of"
                                        + " records with the key as a component."
                                : "Change the class as Jackson says, or return a record of what the caller needs.");
            }
        }

        private void check(JavaType type, ValueDeserializer<?> deserializer, String path) {
            if (checked.size() == MAX_TYPES || !checked.add(type)) {
                return;
            }
            requireNoEntity(type, path);
            if (deserializer instanceof AbstractDeserializer) {
                throw refusal(
                        path,
                        type,
                        "which is abstract, and nothing tells Jackson which class to make of its JSON",
                        "Declare the class itself, or say with @JsonTypeInfo, and @JsonSubTypes where it is not sealed,"
                                + " how to tell its classes apart. " + NOT_YOURS);
            } else if (deserializer instanceof BeanDeserializerBase bean) {
                checkProperties(type, bean, path);
            } else if (type.isReferenceType()) {
                check(type.getReferencedType(), path);
            } else if (deserializer instanceof ContainerDeserializerBase<?> container) {
                checkContent(container, path + "[*]");
            }
        }

        private void checkProperties(JavaType type, BeanDeserializerBase bean, String path) {
            Class<?> raw = type.getRawClass();
            if (!bean.getValueInstantiator().canInstantiate()) {
                throw refusal(
                        path,
                        type,
                        "for which Jackson has no way to make an object",
                        needsModuleForKotlin(raw)
                                ? "Add the dependency tools.jackson.module:jackson-module-kotlin, which makes objects of"
                                        + " classes in Kotlin; a JsonMapper of your own needs its KotlinModule."
                                : "Make it a record, give it a constructor without parameters, or mark a constructor or a"
                                        + " static method with @JsonCreator. " + NOT_YOURS);
            }
            if (hasFields(raw) && visibleProperties.noneOf(raw)) {
                throw refusal(
                        path,
                        type,
                        "which has no JSON properties, so that it is stored as {}",
                        "Make it a record, or give it getters and a constructor or setters for its fields.");
            }
            for (Iterator<SettableBeanProperty> properties = bean.properties(); properties.hasNext(); ) {
                SettableBeanProperty property = properties.next();
                if (property.getValueTypeDeserializer() == null && property.hasValueDeserializer()) {
                    check(property.getType(), property.getValueDeserializer(), path + "." + property.getName());
                }
            }
        }

        private void checkContent(ContainerDeserializerBase<?> container, String path) {
            JavaType content = container.getContentType();
            ValueDeserializer<?> deserializer = container.getContentDeserializer();
            if (content != null && deserializer != null && !isTyped(content)) {
                check(content, deserializer, path);
            }
        }

        private void requireNoEntity(JavaType type, String path) {
            for (Class<?> declaring = type.getRawClass(); declaring != null; declaring = declaring.getSuperclass()) {
                if (isAnnotated(declaring, ENTITY)) {
                    throw refusal(
                            path,
                            type,
                            "which is a JPA entity: its JSON contains what was loaded by then, loads more, and follows"
                                    + " circular associations",
                            "Return a record of what the caller needs. If the entity is to be returned as it is, say with"
                                    + " lossyResponse = true that a replay may show less.");
                }
            }
        }

        private IdempotencyStartupException refusal(String path, JavaType type, String reason, String action) {
            return new IdempotencyStartupException(
                    root.getRawClass().getTypeName()
                            + (path.equals("$")
                                    ? ""
                                    : ", whose " + path + " is "
                                            + type.getRawClass().getTypeName())
                            + ", " + reason + ".",
                    action);
        }
    }

    private boolean needsModuleForKotlin(Class<?> type) {
        return isAnnotated(type, KOTLIN_CLASS)
                && mapper.registeredModules().stream()
                        .noneMatch(module -> module.getClass().getName().equals(MODULE_FOR_KOTLIN));
    }

    private static boolean isAnnotated(Class<?> type, String annotation) {
        return Arrays.stream(type.getAnnotations())
                .anyMatch(present -> present.annotationType().getName().equals(annotation));
    }

    private static boolean hasFields(@Nullable Class<?> type) {
        return type != null
                && (Arrays.stream(type.getDeclaredFields())
                                .anyMatch(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
                        || hasFields(type.getSuperclass()));
    }
}
