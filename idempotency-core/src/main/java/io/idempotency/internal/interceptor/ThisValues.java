package io.idempotency.internal.interceptor;

import java.util.BitSet;

import org.springframework.asm.Opcodes;

/** The places of a frame, its local variables and its stack, that certainly hold the reference that a {@link ThisFlow} follows. */
final class ThisValues {

    private final BitSet variables;

    /** A long or a double takes two places. */
    private final BitSet stack;

    private int depth;

    private ThisValues(BitSet variables, BitSet stack, int depth) {
        this.variables = variables;
        this.stack = stack;
        this.depth = depth;
    }

    static ThisValues ofMethod() {
        BitSet variables = new BitSet();
        variables.set(0);
        return new ThisValues(variables, new BitSet(), 0);
    }

    ThisValues copy() {
        return new ThisValues((BitSet) variables.clone(), (BitSet) stack.clone(), depth);
    }

    void retain(ThisValues other) {
        variables.and(other.variables);
        stack.and(other.stack);
    }

    boolean includes(ThisValues other) {
        ThisValues common = other.copy();
        common.retain(this);
        return common.variables.equals(other.variables) && common.stack.equals(other.stack);
    }

    /** Returns whether the reference is so far from the top of the stack. */
    boolean isThis(int fromTop) {
        return depth >= fromTop && stack.get(depth - fromTop);
    }

    void load(int variable) {
        stack.set(depth++, variables.get(variable));
    }

    void store(int variable, int size) {
        boolean isThis = isThis(size);
        replace(size, 0);
        variables.clear(variable, variable + size);
        variables.set(variable, isThis && size == 1);
    }

    /** Takes values from the stack, and adds other ones. */
    void replace(int taken, int given) {
        int rest = Math.max(0, depth - taken);
        depth = rest + given;
        stack.clear(rest, Math.max(rest, stack.length()));
    }

    /** Inserts a copy of the uppermost places below others. */
    void duplicate(int copied, int below) {
        BitSet before = (BitSet) stack.clone();
        int from = depth - copied;
        int to = from - below;
        for (int i = 0; i < copied + below; i++) {
            stack.set(to + copied + i, before.get(to + i));
        }
        for (int i = 0; i < copied; i++) {
            stack.set(to + i, before.get(from + i));
        }
        depth += copied;
    }

    /** Executes an instruction without operands that neither ends the method nor moves what it finds. */
    void compute(int opcode) {
        switch (opcode) {
            case Opcodes.ACONST_NULL,
                    Opcodes.ICONST_M1,
                    Opcodes.ICONST_0,
                    Opcodes.ICONST_1,
                    Opcodes.ICONST_2,
                    Opcodes.ICONST_3,
                    Opcodes.ICONST_4,
                    Opcodes.ICONST_5,
                    Opcodes.FCONST_0,
                    Opcodes.FCONST_1,
                    Opcodes.FCONST_2 -> replace(0, 1);
            case Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1 -> replace(0, 2);
            case Opcodes.ARRAYLENGTH -> replace(1, 1);
            case Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D -> replace(1, 2);
            case Opcodes.L2I, Opcodes.L2F, Opcodes.D2I, Opcodes.D2F -> replace(2, 1);
            case Opcodes.POP, Opcodes.MONITORENTER, Opcodes.MONITOREXIT -> replace(1, 0);
            case Opcodes.POP2 -> replace(2, 0);
            case Opcodes.IALOAD,
                    Opcodes.FALOAD,
                    Opcodes.AALOAD,
                    Opcodes.BALOAD,
                    Opcodes.CALOAD,
                    Opcodes.SALOAD,
                    Opcodes.IADD,
                    Opcodes.FADD,
                    Opcodes.ISUB,
                    Opcodes.FSUB,
                    Opcodes.IMUL,
                    Opcodes.FMUL,
                    Opcodes.IDIV,
                    Opcodes.FDIV,
                    Opcodes.IREM,
                    Opcodes.FREM,
                    Opcodes.ISHL,
                    Opcodes.ISHR,
                    Opcodes.IUSHR,
                    Opcodes.IAND,
                    Opcodes.IOR,
                    Opcodes.IXOR,
                    Opcodes.FCMPL,
                    Opcodes.FCMPG -> replace(2, 1);
            case Opcodes.LALOAD, Opcodes.DALOAD -> replace(2, 2);
            case Opcodes.IASTORE, Opcodes.FASTORE, Opcodes.AASTORE, Opcodes.BASTORE, Opcodes.CASTORE, Opcodes.SASTORE ->
                replace(3, 0);
            case Opcodes.LASTORE, Opcodes.DASTORE -> replace(4, 0);
            case Opcodes.LSHL, Opcodes.LSHR, Opcodes.LUSHR -> replace(3, 2);
            case Opcodes.LADD,
                    Opcodes.DADD,
                    Opcodes.LSUB,
                    Opcodes.DSUB,
                    Opcodes.LMUL,
                    Opcodes.DMUL,
                    Opcodes.LDIV,
                    Opcodes.DDIV,
                    Opcodes.LREM,
                    Opcodes.DREM,
                    Opcodes.LAND,
                    Opcodes.LOR,
                    Opcodes.LXOR -> replace(4, 2);
            case Opcodes.LCMP, Opcodes.DCMPL, Opcodes.DCMPG -> replace(4, 1);
            default -> {
                // Negations and other conversions leave the stack as deep as it is.
            }
        }
    }
}
