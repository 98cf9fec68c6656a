package io.idempotency.boot.flyway;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;

import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;

import io.idempotency.internal.postgres.schema.StorageFeature;

/** The migrations of a feature for Flyway, which would search for them and find none in a native image. */
final class ListedMigrations implements ResourceProvider {

    private final List<LoadableResource> migrations;

    ListedMigrations(StorageFeature feature, ClassLoader classLoader) {
        this.migrations = feature.migrations().stream()
                .<LoadableResource>map(file ->
                        new Migration(file, new ClassPathResource(feature.location() + "/" + file, classLoader)))
                .toList();
    }

    @Override
    public @Nullable LoadableResource getResource(String name) {
        return null;
    }

    @Override
    public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
        return migrations.stream()
                .filter(migration -> migration.getFilename().startsWith(prefix))
                .toList();
    }

    private static final class Migration extends LoadableResource {

        private final String file;

        private final ClassPathResource resource;

        Migration(String file, ClassPathResource resource) {
            this.file = file;
            this.resource = resource;
        }

        @Override
        public Reader read() {
            try {
                return new StringReader(resource.getContentAsString(StandardCharsets.UTF_8));
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }

        @Override
        public String getAbsolutePath() {
            return resource.getPath();
        }

        @Override
        public String getAbsolutePathOnDisk() {
            return resource.getPath();
        }

        @Override
        public String getFilename() {
            return file;
        }

        @Override
        public String getRelativePath() {
            return file;
        }
    }
}
