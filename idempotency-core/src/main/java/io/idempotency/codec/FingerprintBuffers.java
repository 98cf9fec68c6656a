package io.idempotency.codec;

import java.io.CharArrayWriter;
import java.io.Writer;

import tools.jackson.core.util.BufferRecycler;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.core.util.RecyclerPool;

/**
 * The JSON of a payload and its canonical text, in buffers of a pool. What does not fit is written into
 * larger ones, which are not kept.
 */
final class FingerprintBuffers implements AutoCloseable {

    /** Without a lock, and of as many buffers as payloads were ever hashed at once. */
    private static final RecyclerPool<BufferRecycler> POOL = JsonRecyclerPools.newConcurrentDequePool();

    private final BufferRecycler recycler;

    private final char[] characters;

    private final byte[] bytes;

    private final Json json;

    private FingerprintBuffers(BufferRecycler recycler) {
        this.recycler = recycler;
        this.characters = recycler.allocCharBuffer(BufferRecycler.CHAR_TOKEN_BUFFER);
        this.bytes = recycler.allocByteBuffer(BufferRecycler.BYTE_WRITE_ENCODING_BUFFER);
        this.json = new Json(characters);
    }

    /** Nobody else has them until they are closed. */
    static FingerprintBuffers take() {
        return new FingerprintBuffers(POOL.acquireAndLinkPooled());
    }

    /** Where the JSON of the payload is to be written. */
    Writer json() {
        return json;
    }

    /** The canonical text of what was written; to be used before the buffers are closed. */
    CanonicalText canonicalText() {
        CanonicalText text = new CanonicalText(bytes);
        json.writeTo(text);
        return text;
    }

    @Override
    public void close() {
        recycler.releaseCharBuffer(BufferRecycler.CHAR_TOKEN_BUFFER, characters);
        recycler.releaseByteBuffer(BufferRecycler.BYTE_WRITE_ENCODING_BUFFER, bytes);
        recycler.releaseToPool();
    }

    /** Is read where it was written. */
    private static final class Json extends CharArrayWriter {

        Json(char[] buffer) {
            super(0);
            buf = buffer;
        }

        void writeTo(CanonicalText text) {
            CanonicalJson.write(buf, count, text);
        }
    }
}
