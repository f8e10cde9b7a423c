export default {
  testMatch: "*.spec.mjs",
  outputDir: process.env.OUT,
  use: { launchOptions: { executablePath: process.env.CHROMIUM_PATH, args: ["--no-sandbox"] } },
};
