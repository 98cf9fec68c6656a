package io.idempotency.boot.properties;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.PropertySource;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyStartupException;

/**
 * The names of the library's properties, as the configuration metadata lists them. Environment variables and system properties
 * are not checked, because they may be meant for another program.
 *
 * @param maps those below which names are free
 */
record PropertyNames(Set<ConfigurationPropertyName> names, Set<ConfigurationPropertyName> maps) {

    static final String METADATA = "META-INF/spring-configuration-metadata.json";

    private static final String MENTION = "\"idempotency.";

    private static final ConfigurationPropertyName LIBRARY = ConfigurationPropertyName.of("idempotency");

    /** It is unknown only if the metadata of the library is not there, as in some repackaged applications. */
    private static final ConfigurationPropertyName ENABLED = LIBRARY.append("enabled");

    /** A name is similar to another if at most one in so many characters differs. */
    private static final int SIMILARITY = 3;

    static PropertyNames read(ClassLoader classLoader) {
        Set<ConfigurationPropertyName> names = new HashSet<>();
        Set<ConfigurationPropertyName> maps = new HashSet<>();
        try {
            for (URL file : Collections.list(classLoader.getResources(METADATA))) {
                String metadata = textOf(file);
                // To parse the metadata of all other libraries would slow the start down.
                if (metadata.contains(MENTION)) {
                    JsonMapper.shared()
                            .readTree(metadata)
                            .path("properties")
                            .forEach(property -> add(property, names, maps));
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return new PropertyNames(names, maps);
    }

    private static String textOf(URL file) throws IOException {
        try (InputStream content = file.openStream()) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void add(
            JsonNode property, Set<ConfigurationPropertyName> names, Set<ConfigurationPropertyName> maps) {
        ConfigurationPropertyName name =
                ConfigurationPropertyName.ofIfValid(property.path("name").asString(""));
        if (name != null && LIBRARY.isAncestorOf(name)) {
            names.add(name);
            if (property.path("type").asString("").startsWith("java.util.Map<")) {
                maps.add(name);
            }
        }
    }

    /** Refuses properties that the library does not have. */
    void check(Iterable<PropertySource<?>> sources) {
        TreeMap<ConfigurationPropertyName, String> unknown = new TreeMap<>();
        UnboundElementsSourceFilter meantForTheApplication = new UnboundElementsSourceFilter();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(sources)) {
            if (meantForTheApplication.apply(source)
                    && source instanceof IterableConfigurationPropertySource properties) {
                properties.stream()
                        .filter(name -> LIBRARY.isAncestorOf(name)
                                && !isKnown(name)
                                && !isEmptySection(name, source.getConfigurationProperty(name)))
                        .forEach(name -> unknown.put(name, describe(name, source.getConfigurationProperty(name))));
            }
        }
        if (!unknown.isEmpty() && names.contains(ENABLED)) {
            throw new IdempotencyStartupException(
                    String.join(" ", unknown.values()),
                    "Correct or remove what is misspelt. Properties of the application itself need another prefix than idempotency.");
        }
    }

    private boolean isKnown(ConfigurationPropertyName name) {
        ConfigurationPropertyName property = name.isLastElementIndexed() ? name.getParent() : name;
        return names.contains(property) || maps.stream().anyMatch(map -> map.isAncestorOf(name));
    }

    /** An empty section of a YAML file is a property with the name of the section. A section with a value would have no effect. */
    private boolean isEmptySection(ConfigurationPropertyName name, @Nullable ConfigurationProperty property) {
        return names.stream().anyMatch(name::isAncestorOf)
                && (property == null || !StringUtils.hasText(String.valueOf(property.getValue())));
    }

    private String describe(ConfigurationPropertyName name, @Nullable ConfigurationProperty property) {
        String place = property == null || property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
        String below = names.stream()
                .filter(name::isAncestorOf)
                .sorted()
                .map(ConfigurationPropertyName::toString)
                .collect(Collectors.joining(", "));
        return "There is no property " + name + place + "."
                + (below.isEmpty() ? similarTo(name) : " Set one of " + below + ".");
    }

    private String similarTo(ConfigurationPropertyName name) {
        return names.stream()
                .filter(known ->
                        distance(known, name) * SIMILARITY <= name.toString().length())
                .min(Comparator.<ConfigurationPropertyName>comparingInt(known -> distance(known, name))
                        .thenComparing(Comparator.naturalOrder()))
                .map(known -> " Did you mean " + known + "?")
                .orElse("");
    }

    /** Returns the number of characters to insert, delete or replace; one if only the prefix differs. */
    private static int distance(ConfigurationPropertyName known, ConfigurationPropertyName unknown) {
        if (lastOf(known).equals(lastOf(unknown))) {
            return 1;
        }
        String to = unknown.toString();
        int[] row = new int[to.length() + 1];
        Arrays.setAll(row, i -> i);
        for (char from : known.toString().toCharArray()) {
            int diagonal = row[0]++;
            for (int i = 1; i < row.length; i++) {
                int replaced = diagonal + (to.charAt(i - 1) == from ? 0 : 1);
                diagonal = row[i];
                row[i] = Math.min(replaced, Math.min(row[i], row[i - 1]) + 1);
            }
        }
        return row[to.length()];
    }

    private static String lastOf(ConfigurationPropertyName name) {
        return Objects.requireNonNull(name.getLastElement(Form.UNIFORM));
    }
}
