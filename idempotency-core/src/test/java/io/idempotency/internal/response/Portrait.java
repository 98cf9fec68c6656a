package io.idempotency.internal.response;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * All that can be seen of an object, as a text: equal texts are equal objects. It shares nothing with the comparison that it
 * judges.
 */
@SuppressWarnings("JavaUtilDate") // Users have members of this class.
final class Portrait {

    private final StringBuilder text = new StringBuilder();

    private final IdentityHashMap<Object, Integer> open = new IdentityHashMap<>();

    private Portrait() {}

    static String of(@Nullable Object object) {
        Portrait portrait = new Portrait();
        portrait.draw(object);
        return portrait.text.toString();
    }

    private void draw(@Nullable Object object) {
        if (object == null) {
            text.append("null");
            return;
        }
        Integer above = open.get(object);
        if (above != null) {
            text.append("^").append(open.size() - above);
            return;
        }
        open.put(object, open.size());
        drawAnew(object);
        open.remove(object);
    }

    private void drawAnew(Object object) {
        if (object instanceof Map<?, ?> map) {
            drawMap(map);
        } else if (object instanceof Collection<?> collection) {
            drawCollection(collection);
        } else if (object instanceof Map.Entry<?, ?> entry) {
            draw(entry.getKey());
            text.append('=');
            draw(entry.getValue());
        } else if (object.getClass().isArray()) {
            text.append(object.getClass().getTypeName()).append('[');
            for (int i = 0; i < Array.getLength(object); i++) {
                draw(Array.get(object, i));
                text.append(',');
            }
            text.append(']');
        } else if (object instanceof Optional<?> optional) {
            text.append("optional ");
            draw(optional.orElse(null));
        } else if (object instanceof AtomicReference<?> reference) {
            text.append("reference ");
            draw(reference.get());
        } else if (object instanceof JsonNode) {
            text.append("tree ").append(object);
        } else if (object instanceof Enum<?> constant) {
            text.append(constant.getDeclaringClass().getName()).append('.').append(constant.name());
        } else if (object.getClass().getClassLoader() == null) {
            drawValue(object);
        } else {
            drawFields(object, object.getClass());
        }
    }

    private void drawValue(Object object) {
        text.append(object.getClass().getName()).append(' ');
        if (object instanceof Date date) {
            text.append(date.getTime());
        } else if (object instanceof Pattern pattern) {
            text.append(pattern).append(pattern.flags());
        } else if (object instanceof Throwable failure) {
            text.append(failure).append(Arrays.toString(failure.getStackTrace()));
        } else {
            text.append(object);
        }
    }

    private void drawFields(Object object, Class<?> type) {
        text.append(type.getName()).append('{');
        for (Class<?> declaring = type;
                declaring.getClassLoader() == type.getClassLoader();
                declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    text.append(field.getName()).append(':');
                    draw(read(field, object));
                    text.append(';');
                }
            }
        }
        text.append('}');
    }

    private static @Nullable Object read(Field field, Object object) {
        try {
            field.setAccessible(true);
            return field.get(object);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Hash tables have no order that means something. */
    private void drawCollection(Collection<?> collection) {
        text.append(
                        collection instanceof List && !(collection instanceof Deque)
                                ? "list"
                                : collection instanceof Set ? "set" : "collection")
                .append('(');
        drawAll(collection, collection.getClass() == HashSet.class);
        drawOwnFields(collection);
        text.append(')');
    }

    private void drawMap(Map<?, ?> map) {
        text.append("map(");
        drawAll(map.entrySet(), map.getClass() == HashMap.class);
        drawOwnFields(map);
        text.append(')');
    }

    private void drawAll(Collection<?> elements, boolean sorted) {
        List<String> drawn = new ArrayList<>();
        for (Object element : elements) {
            int start = text.length();
            draw(element);
            drawn.add(text.substring(start));
            text.setLength(start);
        }
        if (sorted) {
            Collections.sort(drawn);
        }
        text.append(drawn);
    }

    private void drawOwnFields(Object object) {
        if (object.getClass().getClassLoader() != null) {
            drawFields(object, object.getClass());
        }
    }
}
