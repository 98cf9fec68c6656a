package io.idempotency.internal.postgres.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.postgres.jdbc.Schema;

/**
 * A part of the schema that an application has only if it uses it: tables, with migrations and a Flyway history of their own.
 * Switching a feature on later creates its tables at the next start.
 *
 * @param name the name in messages and on the page for administrators
 * @param location the location of the migrations on the class path. They take the schema's name as the placeholder
 *     {@code schema}
 * @param migrations the files of the migrations. They are listed, because the class loader of a native image cannot search
 * @param historyTable the table of the Flyway history, in the same schema
 * @param tables the tables, in the order in which the migrations create them
 * @param functions the SQL functions over the tables; {@code null} if there are none
 * @param partitions the partitions of one of the tables; {@code null} if none is ever partitioned
 */
public record StorageFeature(
        String name,
        String location,
        List<String> migrations,
        String historyTable,
        List<StorageTable> tables,
        @Nullable SqlScript functions,
        @Nullable Function<Schema, TablePartitions> partitions) {

    /** Copies the lists. */
    public StorageFeature {
        migrations = List.copyOf(migrations);
        tables = List.copyOf(tables);
    }

    /** Creates a feature without SQL functions and partitions. */
    public StorageFeature(
            String name, String location, List<String> migrations, String historyTable, List<StorageTable> tables) {
        this(name, location, migrations, historyTable, tables, null, null);
    }

    /** Returns the partitions of the tables of these features. */
    public static List<TablePartitions> partitions(List<StorageFeature> features, Schema schema) {
        List<TablePartitions> all = new ArrayList<>();
        for (StorageFeature feature : features) {
            if (feature.partitions != null) {
                all.add(feature.partitions.apply(schema));
            }
        }
        return all;
    }

    /** Returns the migrations with their location. */
    public List<String> migrationFiles() {
        return migrations.stream().map(file -> location + '/' + file).toList();
    }

    /** Returns the changelog by which Liquibase runs the same migrations. */
    public String changelog() {
        return location + "/changelog.xml";
    }

    /** Returns all files on the class path, for a native image. */
    public Stream<String> resources() {
        List<String> files = new ArrayList<>(migrationFiles());
        files.add(changelog());
        if (functions != null) {
            files.add(functions.location());
        }
        return files.stream();
    }

    /**
     * A script that creates or replaces SQL functions and views.
     *
     * @param location the location on the class path. It takes the same placeholder as the migrations
     * @param versionFunction the function that returns the version of those that are installed
     * @param version the version that the script installs
     */
    public record SqlScript(String location, String versionFunction, int version) {}
}
