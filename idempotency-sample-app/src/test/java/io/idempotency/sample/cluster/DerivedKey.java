package io.idempotency.sample.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.UUID;

/** What {@code IdempotencyContext.downstreamKey} promises to be, written once more: a version-5 UUID, without caller. */
final class DerivedKey {

    private static final UUID NAMESPACE = UUID.fromString("0c6c5a5e-7d5b-4d0e-9f4c-3f1c2a8f4f51");

    private DerivedKey() {}

    static String of(String scope, String key, String name) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream data = new DataOutputStream(bytes)) {
            data.writeLong(NAMESPACE.getMostSignificantBits());
            data.writeLong(NAMESPACE.getLeastSignificantBits());
            for (String part : List.of(scope, "", key, name)) {
                byte[] text = part.getBytes(StandardCharsets.UTF_8);
                data.writeInt(text.length);
                data.write(text);
            }
            ByteBuffer hash = ByteBuffer.wrap(MessageDigest.getInstance("SHA-1").digest(bytes.toByteArray()));
            long high = (hash.getLong() & ~0xF000L) | 0x5000L;
            long low = (hash.getLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
            return new UUID(high, low).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
