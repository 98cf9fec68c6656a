package io.idempotency.internal.postgres.schema;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A table of a {@link StorageFeature}, with what the checks and the purge have to know of it.
 *
 * @param name the name without the schema
 * @param columns the columns that this version knows
 * @param access what the application's role does with the table
 * @param key the columns of the primary key; empty if there is none
 * @param expiryCondition the condition under which an expired row is deleted; {@code null} if rows do not expire
 * @param uniqueKeys the unique indexes of which one must exist, so that a repeat is not stored beside the first: their columns in
 *     alphabetical order; none if the table need not have one
 * @param distributionColumns the columns by which Citus may distribute the table; none if it must be local to the coordinator
 */
public record StorageTable(
        String name,
        String columns,
        Access access,
        String key,
        @Nullable String expiryCondition,
        List<String> uniqueKeys,
        List<String> distributionColumns,
        Set<Trait> traits) {

    /** The condition of a table whose rows are deleted as soon as they have expired. */
    public static final String ALWAYS = "true";

    private static final String ARCHIVE_SUFFIX = "_archive";

    /** Copies the collections. */
    public StorageTable {
        uniqueKeys = List.copyOf(uniqueKeys);
        distributionColumns = List.copyOf(distributionColumns);
        traits = Set.copyOf(traits);
    }

    /** Returns a table that the application's role writes. */
    public static StorageTable written(String name, String key, String columns, Trait... traits) {
        return new StorageTable(name, columns, Access.WRITE, key, null, List.of(), List.of(), Set.of(traits));
    }

    /** Returns a table or view that the application's role only reads. */
    public static StorageTable read(String name, String columns, Trait... traits) {
        return new StorageTable(name, columns, Access.READ, "", null, List.of(), List.of(), Set.of(traits));
    }

    /** Returns this table with rows that expire. */
    public StorageTable expiringIf(String condition) {
        return new StorageTable(name, columns, access, key, condition, uniqueKeys, distributionColumns, traits);
    }

    /** Returns this table with a unique index on one of these lists of columns. */
    public StorageTable uniqueBy(String... anyOf) {
        return new StorageTable(
                name, columns, access, key, expiryCondition, List.of(anyOf), distributionColumns, traits);
    }

    /** Returns this table with the columns by which Citus may distribute it. */
    public StorageTable distributedBy(String... anyOf) {
        return new StorageTable(name, columns, access, key, expiryCondition, uniqueKeys, List.of(anyOf), traits);
    }

    /** Returns the table to which the purge moves rows of this one. It has the same columns, and {@code archived_at}. */
    public StorageTable archive() {
        return new StorageTable(
                name + ARCHIVE_SUFFIX,
                columns,
                Access.ARCHIVE,
                "",
                null,
                List.of(),
                List.of(),
                Set.of(Trait.BOOKKEEPING));
    }

    /** Returns the name of the table whose rows are moved to this archive. */
    String archivedTable() {
        return name.substring(0, name.length() - ARCHIVE_SUFFIX.length());
    }

    /** Returns whether rows expire. */
    public boolean expires() {
        return expiryCondition != null;
    }

    /** Returns whether the table has a trait. */
    public boolean is(Trait trait) {
        return traits.contains(trait);
    }

    /** The access of the application's role to a table. */
    public enum Access {

        /** It reads and writes rows. */
        WRITE("SELECT, INSERT, UPDATE, DELETE"),

        /** It only reads. Only the owner writes. */
        READ("SELECT"),

        /** It adds rows, which it never reads or changes. */
        ARCHIVE("INSERT");

        private final String privileges;

        Access(String privileges) {
            this.privileges = privileges;
        }

        /** Returns the privileges that the role needs, as a list in SQL. */
        public String privileges() {
            return privileges;
        }
    }

    /** A property that few tables have. */
    public enum Trait {

        /** It is a view. */
        VIEW,

        /** It may be partitioned. Then its partitions have the unique index, and expired partitions are dropped as a whole. */
        PARTITIONED,

        /** Its rows are committed together with those of calls, and it is local to the coordinator of Citus. */
        COMMITTED_WITH_CALLS,

        /** Its rows are the library's own. They are not counted in samples. */
        BOOKKEEPING
    }
}
