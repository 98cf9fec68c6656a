package io.idempotency.sample;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Everybody who reaches the sample may make payments and remove keys. */
@Tag("full")
class ListeningTest {

    @Test
    void onlyThisMachineReachesIt() throws Exception {
        List<InetAddress> others = addressesForOthers();
        assumeThat(others).as("addresses that other machines reach").isNotEmpty();
        try (RunningSample sample = RunningSample.start()) {
            connect(InetAddress.getLoopbackAddress(), sample.port());
            assertThat(others)
                    .allSatisfy(address -> assertThatThrownBy(() -> connect(address, sample.port()))
                            .isInstanceOf(ConnectException.class));
        }
    }

    private static void connect(InetAddress address, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 5_000);
        }
    }

    private static List<InetAddress> addressesForOthers() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .toList();
    }
}
