package io.idempotency.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/** Gives the test class a {@link TestDatabase} of its own, as a parameter of constructors and methods. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(TestDatabaseExtension.class)
public @interface PostgresTest {

    /** Returns whether the database is created without the tables of the library. */
    boolean empty() default false;
}
