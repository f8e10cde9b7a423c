/** `npm run dev`: Vite's dev server with hot reload, and the demo servers beside it. */
import { createServer } from "vite";
import { startDemo } from "../demo/start";

const demo = await startDemo();
const vite = await createServer({
  plugins: [
    {
      name: "purser-demo-json",
      configureServer(server) {
        server.middlewares.use("/demo.json", (_, response) => {
          response.setHeader("Content-Type", "application/json");
          response.end(JSON.stringify(demo.info));
        });
      },
    },
  ],
});
await vite.listen();
vite.printUrls();

const stop = async () => {
  await Promise.all([vite.close(), demo.close()]);
  process.exit(0);
};
process.once("SIGINT", () => void stop());
process.once("SIGTERM", () => void stop());
