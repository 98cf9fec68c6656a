package io.idempotency.sample;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What the providers write into their headers, made of their documentation without their libraries. */
public final class WebhookSignatures {

    private WebhookSignatures() {}

    /** One of the signatures; the header names the time before them. */
    public static String stripe(String secret, long seconds, String body) {
        return "v1=" + hex(hmac("HmacSHA256", bytes(secret), seconds + "." + body));
    }

    public static String github(String secret, String body) {
        return "sha256=" + hex(hmac("HmacSHA256", bytes(secret), body));
    }

    public static String twilio(String secret, String url, String form) {
        String fields = Arrays.stream(form.split("&", -1))
                .map(field -> field.split("=", 2))
                .map(field -> decode(field[0]) + decode(field[1]))
                .sorted()
                .distinct()
                .collect(Collectors.joining());
        return base64(hmac("HmacSHA1", bytes(secret), url + fields));
    }

    public static String standard(String secret, String id, String seconds, String body) {
        byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
        return "v1," + base64(hmac("HmacSHA256", key, id + "." + seconds + "." + body));
    }

    private static byte[] hmac(String algorithm, byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return mac.doFinal(bytes(text));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
