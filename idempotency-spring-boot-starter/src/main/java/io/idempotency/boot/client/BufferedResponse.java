package io.idempotency.boot.client;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response that has been read to its end, so that its connection is free and no part of it can be lost any more. */
final class BufferedResponse implements ClientHttpResponse {

    private final HttpStatusCode status;

    private final String statusText;

    private final HttpHeaders headers;

    private final InputStream body;

    private BufferedResponse(ClientHttpResponse response) throws IOException {
        status = response.getStatusCode();
        statusText = response.getStatusText();
        headers = response.getHeaders();
        byte[] bytes = response.getBody().readAllBytes();
        requireWhole(bytes.length);
        body = new ByteArrayInputStream(bytes);
    }

    /** The JDK's HttpURLConnection takes the end of the connection for the end of the body, and may hide the body of an error. */
    private void requireWhole(int length) throws EOFException {
        if (!status.isError()
                && length < headers.getContentLength()
                && !headers.containsHeader(HttpHeaders.CONTENT_ENCODING)) {
            throw new EOFException(
                    "The answer has ended after " + length + " of " + headers.getContentLength() + " bytes");
        }
    }

    /**
     * Reads and closes a response.
     *
     * @throws IOException if it breaks off
     */
    static BufferedResponse read(ClientHttpResponse response) throws IOException {
        try (response) {
            return new BufferedResponse(response);
        }
    }

    @Override
    public HttpStatusCode getStatusCode() {
        return status;
    }

    @Override
    public String getStatusText() {
        return statusText;
    }

    @Override
    public HttpHeaders getHeaders() {
        return headers;
    }

    @Override
    public InputStream getBody() {
        return body;
    }

    @Override
    public void close() {
        // Closed when it was read.
    }
}
