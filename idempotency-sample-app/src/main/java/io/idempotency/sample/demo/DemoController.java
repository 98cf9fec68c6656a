package io.idempotency.sample.demo;

import java.util.Map;

import jakarta.validation.Valid;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** What the page asks for. */
@RestController
@RequestMapping("/demo")
class DemoController {

    private final Runs runs;

    private final EventStream stream;

    private final StatePublisher state;

    DemoController(Runs runs, EventStream stream, StatePublisher state) {
        this.runs = runs;
        this.stream = stream;
        this.state = state;
    }

    /** JSON only: a page of another site cannot send that. */
    @PostMapping(path = "/runs", consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, String> start(@Valid @RequestBody RunRequest request) {
        return Map.of("runId", runs.start(request).id().toString());
    }

    @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    SseEmitter watch() {
        SseEmitter page = stream.open();
        state.showAgain();
        return page;
    }
}
