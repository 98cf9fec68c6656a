package io.idempotency.sample.cluster;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import static java.util.stream.Collectors.toMap;

/**
 * Clients that keep to the rules: they repeat what was not answered with the same key, on another instance and after a
 * pause, until they have an answer or lose patience.
 */
final class LoadGenerator implements AutoCloseable {

    private static final int MAX_ATTEMPTS = 12;

    private static final int FIRST_PAUSE_MILLIS = 50;

    private static final int LONGEST_PAUSE_MILLIS = 2_000;

    private static final int THINKING_MILLIS = 60;

    private static final int TOO_MANY_CENTS = 1_000_000_000;

    /** The provider refuses what ends in 13. */
    private static final int REFUSED_CENTS = 113;

    private static final long OPENING_CENTS = 1_000_000;

    private static final int OPENING_CLIENT = -1;

    private static final List<Operation> OPERATIONS = List.copyOf(EnumSet.complementOf(EnumSet.of(Operation.OPENING)));

    private final List<SampleInstance> instances;

    private final History history;

    private final long seed;

    private final WebhookSender webhooks;

    private final InstanceClient http = new InstanceClient();

    /** Those that the sample has from the start, and those that were opened. */
    private final List<String> accountIds = new ArrayList<>(List.of("alice", "bob"));

    private final List<Command> acknowledged = new ArrayList<>();

    /** Between two commands. */
    private final Pauses thinking = new Pauses();

    /** Between two attempts: whoever stops thinking of new commands goes on until he has his answer. */
    private final Pauses backoff = new Pauses();

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final List<Future<?>> clients = new ArrayList<>();

    private final AtomicInteger commands = new AtomicInteger();

    LoadGenerator(List<SampleInstance> instances, History history, WebhookSender webhooks, long seed) {
        this.instances = instances;
        this.history = history;
        this.webhooks = webhooks;
        this.seed = seed;
    }

    /** To be called before the clients start. */
    void openAccounts(int number) throws InterruptedException {
        Random random = new Random(seed);
        for (int i = 1; i <= number; i++) {
            String accountId = "account-" + i;
            Command opening =
                    new Command(Operation.OPENING.scope() + "-" + i, Operation.OPENING, accountId, OPENING_CENTS, null);
            perform(OPENING_CLIENT, opening, random);
            accountIds.add(accountId);
        }
    }

    List<String> accountIds() {
        return List.copyOf(accountIds);
    }

    void start(int number) {
        for (int i = 0; i < number; i++) {
            int client = i;
            clients.add(threads.submit(() -> {
                runClient(client);
                return null;
            }));
        }
    }

    /** Nothing new is sent; returns when each client has its answers or has given up. */
    void stop() throws InterruptedException, ExecutionException {
        thinking.stop();
        for (Future<?> client : clients) {
            client.get();
        }
    }

    /** Once more, when all is mended: nothing stands in the way of an answer then. */
    void repeatUnanswered(int number) throws InterruptedException, ExecutionException {
        Queue<Command> due = new ConcurrentLinkedQueue<>(unanswered());
        List<Future<?>> late = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            int client = i;
            late.add(threads.submit(() -> {
                Random random = new Random(seed - client);
                for (Command command = due.poll(); command != null; command = due.poll()) {
                    perform(client, command, random);
                }
                return null;
            }));
        }
        for (Future<?> client : late) {
            client.get();
        }
    }

    /** Commands that no attempt had a lasting answer to. */
    Set<Command> unanswered() {
        Map<Command, Boolean> answered = history.attempts().stream()
                .collect(toMap(
                        Attempt::command, attempt -> !SampleApi.isToBeRepeated(attempt.outcome()), Boolean::logicalOr));
        answered.values().removeIf(isAnswered -> isAnswered);
        return answered.keySet();
    }

    @Override
    public void close() {
        thinking.stop();
        backoff.stop();
        threads.shutdownNow();
    }

    private void runClient(int client) throws InterruptedException, ExecutionException {
        Random random = new Random(seed + client);
        while (thinking.take(random.nextInt(THINKING_MILLIS))) {
            switch (random.nextInt(10)) {
                case 0 -> perform(client, oldCommand(random), random);
                case 1 -> performAtOnce(client, newCommand(random), random);
                default -> perform(client, newCommand(random), random);
            }
        }
    }

    /** As if two tabs of one browser sent the same form. */
    private void performAtOnce(int client, Command command, Random random)
            throws InterruptedException, ExecutionException {
        Random another = new Random(random.nextLong());
        Future<?> twin = threads.submit(() -> {
            perform(client, command, another);
            return null;
        });
        perform(client, command, random);
        twin.get();
    }

    private void perform(int client, Command command, Random random) throws InterruptedException {
        int instance = random.nextInt(instances.size());
        int pause = FIRST_PAUSE_MILLIS;
        for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            Outcome outcome = send(client, command, instances.get(instance));
            if (outcome.isAcknowledged()) {
                remember(command, outcome);
            }
            if (!SampleApi.isToBeRepeated(outcome) || !backoff.take(pause / 2 + random.nextInt(pause))) {
                return;
            }
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
            instance = (instance + 1) % instances.size();
        }
    }

    private Outcome send(int client, Command command, SampleInstance instance) throws InterruptedException {
        Attempt attempt = history.begin(client, command, instance.name());
        Answer answer = http.ask(instance, url -> SampleApi.request(url, command, InstanceClient.TIMEOUT));
        history.end(attempt, answer);
        return answer.outcome();
    }

    private Command newCommand(Random random) throws InterruptedException {
        Operation operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
        String accountId = accountIds.get(random.nextInt(accountIds.size()));
        long amountCents = random.nextInt(1, 200);
        Long expectedVersion = null;
        switch (operation) {
            case OPENING -> throw new IllegalStateException("Accounts are opened before");
            case DEPOSIT -> expectedVersion = versionSometimes(accountId, random);
            case WITHDRAWAL -> {
                expectedVersion = versionSometimes(accountId, random);
                amountCents = random.nextInt(10) == 0 ? TOO_MANY_CENTS : amountCents;
            }
            case PAYMENT -> amountCents = random.nextInt(20) == 0 ? TOO_MANY_CENTS : amountCents;
            case PAYOUT -> amountCents = random.nextInt(10) == 0 ? REFUSED_CENTS : amountCents;
        }
        String key = operation.scope() + "-" + commands.incrementAndGet();
        return new Command(key, operation, accountId, amountCents, expectedVersion);
    }

    /** {@code null} where the client does not care, or nobody tells. */
    private Long versionSometimes(String accountId, Random random) throws InterruptedException {
        if (random.nextInt(3) > 0) {
            return null;
        }
        try {
            SampleInstance instance = instances.get(random.nextInt(instances.size()));
            HttpResponse<String> response =
                    http.exchange(instance, url -> SampleApi.account(url, accountId, InstanceClient.TIMEOUT));
            return response.statusCode() == 200
                    ? SampleApi.balance(response.body()).version()
                    : null;
        } catch (IOException nobodyThere) {
            return null;
        }
    }

    private void remember(Command command, Outcome acknowledgement) {
        if (command.operation() == Operation.PAYMENT) {
            webhooks.paid(SampleApi.answered(acknowledgement).paymentId());
        }
        synchronized (acknowledged) {
            acknowledged.add(command);
        }
    }

    private Command oldCommand(Random random) throws InterruptedException {
        synchronized (acknowledged) {
            if (!acknowledged.isEmpty()) {
                return acknowledged.get(random.nextInt(acknowledged.size()));
            }
        }
        return newCommand(random);
    }
}
