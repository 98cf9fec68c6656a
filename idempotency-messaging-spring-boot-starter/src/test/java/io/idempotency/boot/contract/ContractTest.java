package io.idempotency.boot.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import io.idempotency.test.PostgresTest;

/** Gives the test class {@link ContractApplications} on a database of its own, as a parameter of its constructor. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(ContractApplicationsExtension.class)
@interface ContractTest {}
