"""Words for the fixture pages."""

QUIZ_TEXTS = {
    "en": {
        "title": "Gradient checkpointing",
        "description": "What is recomputed, what that costs, and what `torch.utils.checkpoint` really keeps.",
        "stem": "What does gradient checkpointing mainly trade to save memory?",
        "options": [
            "Extra computation (recomputation) for lower memory use",
            "Model accuracy for speed",
            "Disk space for network bandwidth",
            "The precision of `float32` for a larger batch size, as `torch.autocast` does",
        ],
        "feedback": "Yes: what was not kept is computed again when `backward()` needs it.",
        "explanation": "With segments the peak fell from {{plain.peak_bytes}} to {{segments.peak_bytes}}, "
        "{{segments.peak_saving}} less, for {{segments.flops_ratio}} the work. The *results* are the same.",
    },
    "hi": {
        "title": "ग्रेडिएंट चेकपॉइंटिंग",
        "description": "क्या दोबारा गिना जाता है, किस क़ीमत पर, और `torch.utils.checkpoint` क्या रखता है।",
        "stem": "मेमोरी बचाने के लिए ग्रेडिएंट चेकपॉइंटिंग मुख्य रूप से क्या देकर क्या पाती है?",
        "options": [
            "अतिरिक्त गणना (पुनर्गणना) देकर कम मेमोरी",
            "मॉडल की सटीकता देकर गति",
            "डिस्क की जगह देकर नेटवर्क बैंडविड्थ",
            "`float32` की परिशुद्धता देकर बड़ा बैच आकार, जैसा `torch.autocast` करता है",
        ],
        "feedback": "हाँ: जो नहीं रखा गया, वह `backward()` को ज़रूरत पड़ने पर दोबारा गिना जाता है।",
        "explanation": "खंडों में पीक {{plain.peak_bytes}} से घटकर {{segments.peak_bytes}} रह गया, "
        "यानी {{segments.peak_saving}} कम, और काम {{segments.flops_ratio}} हुआ। नतीजे *वही* रहे।",
    },
    "vi": {
        "title": "Checkpoint gradient",
        "description": "Phần nào được tính lại, với giá nào, và `torch.utils.checkpoint` giữ lại những gì.",
        "stem": "Để tiết kiệm bộ nhớ, checkpoint gradient chủ yếu đánh đổi điều gì?",
        "options": [
            "Tính toán thêm (tính lại) để dùng ít bộ nhớ hơn",
            "Độ chính xác của mô hình để lấy tốc độ",
            "Dung lượng đĩa để lấy băng thông mạng",
            "Độ chính xác `float32` để tăng kích thước lô, như `torch.autocast` làm",
        ],
        "feedback": "Đúng: phần không được giữ lại sẽ được tính lại khi `backward()` cần đến.",
        "explanation": "Khi chia đoạn, bộ nhớ đỉnh giảm từ {{plain.peak_bytes}} "
        "xuống {{segments.peak_bytes}}, ít hơn {{segments.peak_saving}}, "
        "với khối lượng tính toán gấp {{segments.flops_ratio}}. "
        "Kết quả *không đổi*.",
    },
}


GUIDE = """A step keeps *activations* for backward.

## What is kept {#kept}

At most $2\\sqrt{n}$ of them:

$$
\\frac{n}{k} + k
$$

Every layer keeps its input. In code:

```python
out = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
```

| variant | kept |
| --- | --- |
| plain | 16 |
| segments | 7 |

## What is computed twice

1. The forward of each segment.
2. Nothing else. See [the paper](https://arxiv.org/abs/1604.06174).

> A demonstration that was not predicted teaches nothing.
"""
