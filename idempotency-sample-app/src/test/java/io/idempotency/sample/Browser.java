package io.idempotency.sample;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A Chromium that is installed on this machine, without a window. */
record Browser(ChromeDriver driver) implements AutoCloseable {

    /** {@code -Dscreenshots=docs/images}, from the root of the project, makes those that are shown in the documentation. */
    private static final Path SCREENSHOTS = Optional.ofNullable(System.getProperty("screenshots"))
            .map(folder -> Path.of("..").resolve(folder))
            .orElse(Path.of("target", "screenshots"));

    /** Skips the test where there is none. */
    static Browser start() {
        Optional<Path> chromium = find("chromium");
        Optional<Path> chromedriver = find("chromedriver");
        assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "chromium or chromedriver is not installed; they are Debian's packages chromium and chromium-driver");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.get().toFile());
        // Chromium's sandbox does not run as root, nor in most containers; the page is this project's own.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu");
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.get().toFile())
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().pageLoadTimeout(Duration.ofSeconds(30));
        return new Browser(driver);
    }

    private static Optional<Path> find(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    void open(String url) {
        driver.get(url);
    }

    WebElement element(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    String text(String css) {
        return element(css).getText();
    }

    /**
     * What the elements hold, whether or not they can be seen without scrolling. Read at once, because the page may replace
     * them at any time.
     */
    List<String> texts(String css) {
        List<?> texts = (List<?>) driver.executeScript(
                "return Array.from(document.querySelectorAll(arguments[0]), found => found.textContent)", css);
        return texts.stream().map(String.class::cast).toList();
    }

    /** By the keyboard, which has to work wherever the mouse does. */
    void press(String css) {
        element(css).sendKeys(Keys.ENTER);
    }

    /** Wherever the focus is. */
    void pressKey(Keys key) {
        driver.switchTo().activeElement().sendKeys(key);
    }

    /** Clicks an entry of a list, again if the page has replaced it between finding and clicking it. */
    void choose(String css) {
        await().ignoreException(StaleElementReferenceException.class)
                .untilAsserted(() -> element(css).click());
    }

    void fill(String css, String value) {
        element(css).clear();
        element(css).sendKeys(value);
    }

    Object script(String script) {
        return driver.executeScript(script);
    }

    /** As if the operating system and the window were like that. */
    void look(String colorScheme, int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colorScheme))));
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        driver.executeCdpCommand("Emulation.setScrollbarsHidden", Map.of("hidden", true));
    }

    /** Of what the window shows; into the folder of the build, if no other one is named. */
    void screenshot(String name) throws IOException {
        Files.createDirectories(SCREENSHOTS);
        Files.write(SCREENSHOTS.resolve(name + ".png"), compress(driver.getScreenshotAs(OutputType.BYTES)));
    }

    /** The browser prefers speed to size. */
    private static byte[] compress(byte[] png) throws IOException {
        BufferedImage taken = ImageIO.read(new ByteArrayInputStream(png));
        BufferedImage opaque = new BufferedImage(taken.getWidth(), taken.getHeight(), BufferedImage.TYPE_3BYTE_BGR);
        opaque.createGraphics().drawImage(taken, 0, 0, null);
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
        ImageWriteParam smallest = writer.getDefaultWriteParam();
        smallest.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        smallest.setCompressionQuality(0);
        try (ImageOutputStream output = ImageIO.createImageOutputStream(compressed)) {
            writer.setOutput(output);
            writer.write(null, new IIOImage(opaque, null, null), smallest);
        } finally {
            writer.dispose();
        }
        return compressed.toByteArray();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
