// Search when the site is opened as files: browsers start no worker there, so a hidden frame does its work.
(() => {
  if (location.protocol !== "file:") return;

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.tell(data); // what the script says to whoever started it
      inside.importScripts = (...names) =>
        names.reduce((before, name) => before.then(() => this.load(name)), Promise.resolve());
      this.ready = this.load(url);
    }

    load(url) {
      const inner = this.frame.contentDocument;
      const script = inner.createElement("script");
      script.src = new URL(url, document.baseURI).href;
      return new Promise((done, failed) => {
        script.onload = done;
        script.onerror = failed;
        inner.body.append(script);
      });
    }

    tell(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.IFrameWorker = IFrameWorker; // the name that the theme's search asks for
  window.Worker = IFrameWorker;
})();
