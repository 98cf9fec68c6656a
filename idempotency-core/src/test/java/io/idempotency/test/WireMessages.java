package io.idempotency.test;

/**
 * Follows the framing of one direction of a PostgreSQL connection (protocol version 3) in chunks that need not end with
 * a message: a type byte, an int32 length that includes itself, a body. Only a client's first message has no type.
 */
final class WireMessages {

    private static final int HEADER = 5;

    private int headerBytes;
    private char type;
    private int length;
    private long bodyBytes;

    private WireMessages(int headerBytes) {
        this.headerBytes = headerBytes;
    }

    static WireMessages ofClient() {
        // As if the type of the start-up message had been read already.
        return new WireMessages(1);
    }

    static WireMessages ofServer() {
        return new WireMessages(0);
    }

    /** How many messages of one of these types end in this chunk. */
    int count(String types, byte[] chunk, int end) {
        int found = 0;
        int position = 0;
        while (position < end) {
            if (bodyBytes > 0) {
                int skipped = (int) Math.min(bodyBytes, end - position);
                bodyBytes -= skipped;
                position += skipped;
            } else {
                int value = chunk[position++] & 0xff;
                if (headerBytes == 0) {
                    type = (char) value;
                    length = 0;
                } else {
                    length = length << 8 | value;
                }
                headerBytes++;
                if (headerBytes == HEADER) {
                    bodyBytes = length - 4L;
                    headerBytes = 0;
                }
            }
            if (atEnd() && types.indexOf(type) >= 0) {
                found++;
            }
        }
        return found;
    }

    /** Whether the last chunk ended with a message, and one of another type than these. */
    boolean endedWithOtherThan(String types) {
        return atEnd() && types.indexOf(type) < 0;
    }

    private boolean atEnd() {
        return headerBytes == 0 && bodyBytes == 0;
    }
}
