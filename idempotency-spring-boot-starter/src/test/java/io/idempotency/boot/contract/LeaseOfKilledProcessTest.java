package io.idempotency.boot.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.idempotency.IdempotencyContext;
import io.idempotency.Outcome;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that is killed cannot give its key back: the time of its lease does. */
@ContractTest
@Tag("full")
class LeaseOfKilledProcessTest {

    @Test
    @Tag("race")
    @Timeout(120)
    void isTakenOverWhenItsTimeIsUp(ContractApplications applications) throws IOException {
        ContractApplication application = applications.start(List.of(LeasedPayments.class));
        Process process = start(applications.database(), "key", "2s");
        String downstreamKey;
        try {
            downstreamKey = awaitRunningMethod(process);
        } finally {
            process.destroyForcibly().onExit().join();
        }
        assertThat(application.request("key")).containsEntry("status", "processing");
        List<String> downstreamKeys = new ArrayList<>();
        application
                .interruption()
                .beforeEffectDo(
                        () -> downstreamKeys.add(IdempotencyContext.current().downstreamKey("stripe")));

        Booked booked = application.bean(LeasedPayments.class).pay("key");

        assertThat(booked.attempt()).isEqualTo(2);
        assertThat(application.outcomes().all()).containsExactly(Outcome.RECOVERED);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(downstreamKeys).containsExactly(downstreamKey);
    }

    private static Process start(TestDatabase database, String key, String lease) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                TestDatabase.POOL_OPTION,
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                LeasedProcess.class.getName(),
                "--leased.key=" + key,
                "--leased.lease=" + lease));
        database.springProperties().forEach((name, value) -> command.add("--" + name + "=" + value));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        // For a build that is interrupted.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return process;
    }

    private static String awaitRunningMethod(Process process) throws IOException {
        List<String> output = new ArrayList<>();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (line != null) {
            if (line.startsWith(LeasedProcess.RUNNING)) {
                return line.substring(LeasedProcess.RUNNING.length());
            }
            output.add(line);
            line = lines.readLine();
        }
        throw new AssertionError("The process ended without running its method: " + output);
    }
}
