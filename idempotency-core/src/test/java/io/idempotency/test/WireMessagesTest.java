package io.idempotency.test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
class WireMessagesTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 1000})
    void followTheFramingInChunksOfAnySize(int chunkSize) {
        ByteBuffer bytes = ByteBuffer.allocate(100)
                .putInt(12) // start-up: length, version, then a body that looks like messages
                .putInt(196_608)
                .put(new byte[] {'S', 'Q', 'F', 'S'})
                .put(message('P', "SQS"))
                .put(message('S', ""))
                .put(message('Q', "S"));
        WireMessages messages = WireMessages.ofClient();

        int found = 0;
        for (int from = 0; from < bytes.position(); from += chunkSize) {
            int length = Math.min(chunkSize, bytes.position() - from);
            byte[] chunk = new byte[length + 10]; // a read buffer is longer than what was read
            System.arraycopy(bytes.array(), from, chunk, 0, length);
            found += messages.count("SQ", chunk, length);
        }

        assertThat(found).isEqualTo(2);
        assertThat(messages.endedWithOtherThan("P")).isTrue();
        assertThat(messages.endedWithOtherThan("Q")).isFalse();
    }

    @Test
    void tellAnUnfinishedMessage() {
        byte[] message = message('Z', "I");
        WireMessages messages = WireMessages.ofServer();

        assertThat(messages.count("Z", message, message.length - 1)).isZero();
        assertThat(messages.endedWithOtherThan("")).isFalse();
        assertThat(messages.count("Z", new byte[] {'I'}, 1)).isEqualTo(1);
        assertThat(messages.endedWithOtherThan("")).isTrue();
    }

    private static byte[] message(char type, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(5 + bytes.length)
                .put((byte) type)
                .putInt(4 + bytes.length)
                .put(bytes)
                .array();
    }
}
