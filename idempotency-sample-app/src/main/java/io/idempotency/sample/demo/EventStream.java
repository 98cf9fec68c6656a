package io.idempotency.sample.demo;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter.DataWithMediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter.SseEventBuilder;

/** Sends the same events to all pages that are open, in order. */
@Component
class EventStream implements DisposableBean {

    private static final long NO_TIMEOUT = 0;

    private static final int SECONDS_BETWEEN_SIGNS_OF_LIFE = 15;

    private final List<SseEmitter> pages = new CopyOnWriteArrayList<>();

    /** Of its own, so that a page that reads slowly keeps nobody waiting who pays. */
    private final ScheduledExecutorService sender = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "sample-events");
        thread.setDaemon(true);
        return thread;
    });

    EventStream() {
        // A page that is gone is noticed only when something is sent to it.
        var unused = sender.scheduleWithFixedDelay(
                () -> send(SseEmitter.event().comment("alive")),
                SECONDS_BETWEEN_SIGNS_OF_LIFE,
                SECONDS_BETWEEN_SIGNS_OF_LIFE,
                TimeUnit.SECONDS);
    }

    SseEmitter open() {
        SseEmitter page = new SseEmitter(NO_TIMEOUT);
        page.onCompletion(() -> pages.remove(page));
        pages.add(page);
        publish("open", List.of());
        return page;
    }

    boolean isWatched() {
        return !pages.isEmpty();
    }

    /** As JSON, but for a text, which has to be JSON already. */
    void publish(String name, Object data) {
        if (isWatched()) {
            sender.execute(() -> send(SseEmitter.event().name(name).data(data, MediaType.APPLICATION_JSON)));
        }
    }

    private void send(SseEventBuilder event) {
        Set<DataWithMediaType> parts = event.build();
        List<SseEmitter> gone =
                pages.stream().filter(page -> !isSent(page, parts)).toList();
        pages.removeAll(gone);
    }

    private static boolean isSent(SseEmitter page, Set<DataWithMediaType> parts) {
        try {
            page.send(parts);
            return true;
        } catch (IOException | IllegalStateException gone) {
            return false;
        }
    }

    /** A graceful shutdown would wait for them. */
    @EventListener(ContextClosedEvent.class)
    void endAll() {
        pages.forEach(SseEmitter::complete);
    }

    @Override
    public void destroy() {
        sender.shutdownNow();
    }
}
