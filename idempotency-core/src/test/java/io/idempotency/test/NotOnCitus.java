package io.idempotency.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Skips a test with {@code -Pcitus} that needs partitions, a trigger, a lock of many rows, or a snapshot on the workers. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@DisabledIfSystemProperty(named = TestDatabaseServer.KIND_PROPERTY, matches = "citus")
public @interface NotOnCitus {}
