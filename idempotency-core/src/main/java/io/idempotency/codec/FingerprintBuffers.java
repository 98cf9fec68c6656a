package io.idempotency.codec;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.util.BufferRecycler;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.core.util.RecyclerPool;

/**
 * The canonical text of a payload, and its JSON if that is needed for it, in buffers of a pool. What does not fit is written
 * into larger ones, which are not kept.
 */
final class FingerprintBuffers implements AutoCloseable {

    /** Without a lock, and of as many buffers as payloads were ever hashed at once. */
    private static final RecyclerPool<BufferRecycler> POOL = JsonRecyclerPools.newConcurrentDequePool();

    private final BufferRecycler recycler;

    private final byte[] bytes;

    private char @Nullable [] characters;

    private FingerprintBuffers(BufferRecycler recycler) {
        this.recycler = recycler;
        this.bytes = recycler.allocByteBuffer(BufferRecycler.BYTE_WRITE_ENCODING_BUFFER);
    }

    /** Nobody else has them until they are closed. */
    static FingerprintBuffers take() {
        return new FingerprintBuffers(POOL.acquireAndLinkPooled());
    }

    /** Of no text so far, in place of what was there; to be used before the buffers are closed. */
    CanonicalText canonicalText() {
        return new CanonicalText(bytes);
    }

    /** Where JSON can be written once, before the buffers are closed. */
    JsonBuffer json() {
        characters = recycler.allocCharBuffer(BufferRecycler.CHAR_TOKEN_BUFFER);
        return new JsonBuffer(characters);
    }

    @Override
    public void close() {
        if (characters != null) {
            recycler.releaseCharBuffer(BufferRecycler.CHAR_TOKEN_BUFFER, characters);
        }
        recycler.releaseByteBuffer(BufferRecycler.BYTE_WRITE_ENCODING_BUFFER, bytes);
        recycler.releaseToPool();
    }
}
