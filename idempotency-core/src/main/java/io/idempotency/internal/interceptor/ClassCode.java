package io.idempotency.internal.interceptor;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/** The methods of a class file with the calls that each makes on its own object. */
final class ClassCode extends ClassVisitor {

    private final Map<String, Body> bodies = new LinkedHashMap<>();

    private String className = "";

    private boolean hasFrames;

    private ClassCode() {
        super(SpringAsmInfo.ASM_VERSION);
    }

    /**
     * A method of the class file.
     *
     * @param calls calls on {@code this}; those of a static method are on its first argument
     */
    record Body(int access, String name, String descriptor, Set<ThisFlow.Call> calls) {

        /** Returns whether its calls are on the object of its caller, such as those of a lambda, and not on one of its own. */
        boolean isPartOfCaller() {
            return (access & (Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC)) != 0 && !isBridge();
        }

        private boolean isBridge() {
            return (access & Opcodes.ACC_BRIDGE) != 0;
        }

        /** Describes the method as error messages describe idempotent ones. */
        String describe(Class<?> type) {
            return Arrays.stream(Type.getArgumentTypes(descriptor))
                    .map(argument -> argument.getClassName().replaceFirst(".*[.$]", ""))
                    .collect(Collectors.joining(
                            ", ",
                            type.getName() + "." + (name.equals("<init>") ? type.getSimpleName() : name) + "(",
                            ")"));
        }
    }

    /**
     * Reads a class file.
     *
     * @throws RuntimeException if it has what Spring's reader does not know
     */
    static ClassCode read(InputStream file) throws IOException {
        ClassCode code = new ClassCode();
        new ClassReader(file).accept(code, ClassReader.SKIP_DEBUG);
        return code;
    }

    /** Returns the methods of the source that have an object, each with the calls of its lambdas and the like. */
    List<Body> bodies() {
        return bodies.values().stream()
                .filter(body -> !body.isPartOfCaller() && !body.isBridge())
                .map(body -> {
                    Set<ThisFlow.Call> calls = new LinkedHashSet<>();
                    collect(body, calls, new HashSet<>());
                    return new Body(body.access(), body.name(), body.descriptor(), calls);
                })
                .toList();
    }

    private void collect(Body body, Set<ThisFlow.Call> all, Set<Body> seen) {
        for (ThisFlow.Call call : body.calls()) {
            Body called = call.owner().equals(className) ? bodies.get(call.name() + call.descriptor()) : null;
            if (called == null || !called.isPartOfCaller()) {
                all.add(call);
            } else if (seen.add(called)) {
                collect(called, all, seen);
            }
        }
    }

    @Override
    public void visit(
            int version,
            int access,
            String name,
            @Nullable String signature,
            @Nullable String superName,
            String @Nullable [] interfaces) {
        className = name;
        // From there on every branch has one.
        hasFrames = (version & 0xFFFF) >= Opcodes.V1_7;
    }

    @Override
    public @Nullable MethodVisitor visitMethod(
            int access, String name, String descriptor, @Nullable String signature, String @Nullable [] exceptions) {
        boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
        if (!hasFrames || (isStatic && !descriptor.startsWith("(L" + className + ";"))) {
            return null;
        }
        Body body = new Body(access, name, descriptor, new LinkedHashSet<>());
        bodies.put(name + descriptor, body);
        return new ThisFlow(body.calls());
    }
}
