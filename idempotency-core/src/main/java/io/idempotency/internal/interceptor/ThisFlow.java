package io.idempotency.internal.interceptor;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.asm.ConstantDynamic;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Follows the reference in local variable 0 through the code of one method, and collects the calls on it. A value of which several
 * branches disagree counts as another object, and if a loop disagrees, no call is told.
 */
final class ThisFlow extends MethodVisitor {

    private static final String LAMBDAS = "java/lang/invoke/LambdaMetafactory";

    private final Set<Call> found;

    private final Set<Call> calls = new HashSet<>();

    private final Set<Label> handlers = new HashSet<>();

    /** The states of jumps to labels that are still to come. */
    private final Map<Label, ThisValues> jumps = new HashMap<>();

    /** The states that were assumed at labels, to which a later jump must fit. */
    private final Map<Label, ThisValues> assumed = new HashMap<>();

    /** The state before the next instruction; {@code null} if that is reached by jumps alone. */
    private @Nullable ThisValues state = ThisValues.ofMethod();

    private boolean isContradicted;

    /** Creates the visitor. */
    ThisFlow(Set<Call> found) {
        super(SpringAsmInfo.ASM_VERSION);
        this.found = found;
    }

    /**
     * A call whose receiver, or whose first argument if it is static, is the followed reference. Also a lambda or a method reference that
     * has it.
     */
    record Call(boolean isExact, String owner, String name, String descriptor) {}

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
        handlers.add(handler);
    }

    @Override
    public void visitLabel(Label label) {
        ThisValues jumped = jumps.remove(label);
        if (handlers.contains(label)) {
            // Any instruction of the block may lead here.
            state = null;
        } else if (state == null) {
            state = jumped;
        } else if (jumped != null) {
            state.retain(jumped);
        }
        if (state != null) {
            assumed.put(label, state.copy());
        }
    }

    /** A handler, and a loop to whose begin only later jumps lead, know their stack and nothing else. */
    @Override
    public void visitFrame(int type, int numLocal, Object @Nullable [] local, int numStack, Object @Nullable [] stack) {
        if (state == null) {
            state = ThisValues.ofMethod();
            for (int i = 0; stack != null && i < numStack; i++) {
                state.replace(0, stack[i] == Opcodes.LONG || stack[i] == Opcodes.DOUBLE ? 2 : 1);
            }
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (pass(descriptor, opcode == Opcodes.INVOKESTATIC ? 0 : 1)) {
            calls.add(new Call(opcode == Opcodes.INVOKESPECIAL, owner, name, descriptor));
        }
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        if (pass(descriptor, 0) && bootstrap.getOwner().equals(LAMBDAS)) {
            for (Object argument : arguments) {
                if (argument instanceof Handle code) {
                    calls.add(new Call(
                            code.getTag() == Opcodes.H_INVOKESPECIAL, code.getOwner(), code.getName(), code.getDesc()));
                }
            }
        }
    }

    /** Takes the arguments from the stack, and returns whether the first one, or the receiver, is the followed reference. */
    private boolean pass(String descriptor, int receivers) {
        int sizes = Type.getArgumentsAndReturnSizes(descriptor);
        // The receiver is counted in any case.
        int arguments = (sizes >> 2) - 1 + receivers;
        boolean isOnThis = state != null && arguments > 0 && state.isThis(arguments);
        replace(arguments, sizes & 3);
        return isOnThis;
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        switch (opcode) {
            case Opcodes.ALOAD -> {
                if (state != null) {
                    state.load(variable);
                }
            }
            case Opcodes.ILOAD, Opcodes.FLOAD -> replace(0, 1);
            case Opcodes.LLOAD, Opcodes.DLOAD -> replace(0, 2);
            case Opcodes.ISTORE, Opcodes.FSTORE, Opcodes.ASTORE -> store(variable, 1);
            case Opcodes.LSTORE, Opcodes.DSTORE -> store(variable, 2);
            default -> isContradicted = true;
        }
    }

    private void store(int variable, int size) {
        // Handlers and loops rely on it.
        isContradicted |= variable == 0;
        if (state != null) {
            state.store(variable, size);
        }
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        switch (opcode) {
            case Opcodes.GOTO -> {}
            case Opcodes.JSR -> isContradicted = true;
            case Opcodes.IFEQ,
                    Opcodes.IFNE,
                    Opcodes.IFLT,
                    Opcodes.IFGE,
                    Opcodes.IFGT,
                    Opcodes.IFLE,
                    Opcodes.IFNULL,
                    Opcodes.IFNONNULL -> replace(1, 0);
            default -> replace(2, 0);
        }
        jump(label);
        if (opcode == Opcodes.GOTO) {
            state = null;
        }
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
        visitLookupSwitchInsn(otherwise, new int[0], labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
        replace(1, 0);
        jump(otherwise);
        for (Label label : labels) {
            jump(label);
        }
        state = null;
    }

    private void jump(Label label) {
        if (state == null) {
            return;
        }
        ThisValues expected = assumed.get(label);
        if (expected != null) {
            isContradicted |= !state.includes(expected);
        } else {
            jumps.merge(label, state.copy(), (known, other) -> {
                known.retain(other);
                return known;
            });
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> replace(0, size);
            case Opcodes.PUTSTATIC -> replace(size, 0);
            case Opcodes.GETFIELD -> replace(1, size);
            default -> replace(1 + size, 0);
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        switch (opcode) {
            case Opcodes.NEW -> replace(0, 1);
            case Opcodes.CHECKCAST -> {}
            default -> replace(1, 1);
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        replace(opcode == Opcodes.NEWARRAY ? 1 : 0, 1);
    }

    @Override
    public void visitLdcInsn(Object value) {
        boolean isWide = value instanceof Long
                || value instanceof Double
                || (value instanceof ConstantDynamic constant && constant.getSize() == 2);
        replace(0, isWide ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        replace(dimensions, 1);
    }

    @Override
    public void visitInsn(int opcode) {
        if (state == null) {
            return;
        }
        switch (opcode) {
            case Opcodes.DUP -> state.duplicate(1, 0);
            case Opcodes.DUP_X1 -> state.duplicate(1, 1);
            case Opcodes.DUP_X2 -> state.duplicate(1, 2);
            case Opcodes.DUP2 -> state.duplicate(2, 0);
            case Opcodes.DUP2_X1 -> state.duplicate(2, 1);
            case Opcodes.DUP2_X2 -> state.duplicate(2, 2);
            case Opcodes.SWAP -> {
                state.duplicate(1, 1);
                state.replace(1, 0);
            }
            case Opcodes.IRETURN,
                    Opcodes.LRETURN,
                    Opcodes.FRETURN,
                    Opcodes.DRETURN,
                    Opcodes.ARETURN,
                    Opcodes.RETURN,
                    Opcodes.ATHROW -> state = null;
            default -> state.compute(opcode);
        }
    }

    private void replace(int taken, int given) {
        if (state != null) {
            state.replace(taken, given);
        }
    }

    @Override
    public void visitEnd() {
        if (!isContradicted) {
            found.addAll(calls);
        }
    }
}
