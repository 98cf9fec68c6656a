package io.idempotency.codec;

import java.io.CharArrayWriter;

/** JSON that is read where it was written. */
final class JsonBuffer extends CharArrayWriter {

    /** Of no text so far; written into the buffer while that suffices. */
    JsonBuffer(char[] buffer) {
        super(0);
        buf = buffer;
    }

    void writeTo(CanonicalText text) {
        CanonicalJson.write(buf, count, text);
    }
}
