package io.idempotency.proof;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** A line of the application's code. */
record Place(String file, int line, String className, String method) {

    private static final String LIBRARY_INTERNAL = "io.idempotency.internal.";

    private static final String LIBRARY_CALL = LIBRARY_INTERNAL + "call.";

    private static final String LIBRARY_BOOT = "io.idempotency.boot.";

    /** Libraries between the application's code and the driver, or below it. */
    private static final List<String> LIBRARIES = List.of(
            "java.",
            "javax.",
            "jakarta.",
            "jdk.",
            "sun.",
            "com.sun.",
            "kotlin.",
            "org.springframework.",
            "org.postgresql.",
            "com.zaxxer.",
            "net.ttddyy.",
            "com.p6spy.",
            "io.opentelemetry.",
            "org.hibernate.",
            "org.jooq.",
            "org.apache.",
            "io.micrometer.",
            "reactor.",
            LIBRARY_INTERNAL,
            LIBRARY_BOOT);

    /** Between whoever sends a statement and the driver, if nothing else decides what is sent. */
    private static final List<String> PLAIN_JDBC = List.of(
            "java.",
            "javax.",
            "jdk.",
            "org.postgresql.",
            "org.springframework.jdbc.",
            "com.zaxxer.",
            "net.ttddyy.",
            "com.p6spy.",
            "io.opentelemetry.");

    /** Returns the innermost line of the application, if any. */
    static @Nullable Place of(StackTraceElement[] trace) {
        return lines(trace).findFirst().orElse(null);
    }

    /** Returns the innermost line of the application that is not in the class of the innermost one, which is a test's pretend server. */
    static @Nullable Place behind(StackTraceElement[] trace) {
        Place innermost = of(trace);
        return innermost == null
                ? null
                : lines(trace)
                        .filter(place -> !place.className.equals(innermost.className))
                        .findFirst()
                        .orElse(innermost);
    }

    /** Returns whether the library itself sends a statement: a flush of JPA sends statements of the application. */
    static boolean isOfLibrary(StackTraceElement[] trace) {
        return Stream.of(trace)
                .map(StackTraceElement::getClassName)
                .filter(name -> !isProof(name) && PLAIN_JDBC.stream().noneMatch(name::startsWith))
                .findFirst()
                .filter(name -> name.startsWith(LIBRARY_INTERNAL) || name.startsWith(LIBRARY_BOOT))
                .isPresent();
    }

    /** Returns whether an idempotent call is on the stack. */
    static boolean isInCall(StackTraceElement[] trace) {
        return Stream.of(trace).map(StackTraceElement::getClassName).anyMatch(name -> name.startsWith(LIBRARY_CALL));
    }

    private static boolean isProof(String className) {
        return className.contains("$Proxy")
                || className
                        .substring(0, Math.max(0, className.lastIndexOf('.')))
                        .equals(Place.class.getPackageName());
    }

    private static Stream<Place> lines(StackTraceElement[] trace) {
        return Stream.of(trace)
                .filter(Place::isOfApplication)
                .map(frame -> new Place(
                        String.valueOf(frame.getFileName()),
                        frame.getLineNumber(),
                        frame.getClassName().replaceFirst("\\$\\$Lambda.*", ""),
                        frame.getMethodName()));
    }

    private static boolean isOfApplication(StackTraceElement frame) {
        String name = frame.getClassName();
        return frame.getLineNumber() > 0
                && !name.contains("$$SpringCGLIB")
                && !isProof(name)
                && LIBRARIES.stream().noneMatch(name::startsWith);
    }

    /** Returns the line as a frame, to which an IDE leads from the stack trace of a failure. */
    StackTraceElement frame() {
        return new StackTraceElement(className, method, file, line);
    }

    @Override
    public String toString() {
        return file + ":" + line;
    }
}
